/** @import { Operation } from './described.js' */
import { urlOf } from '../inspector/base/api.js';
import { storedKey } from '../inspector/base/key.js';
import { examplesOf } from './described.js';

/**
 * Commands that use an operation: one for each body it shows, and one to follow what it streams. A body says for itself
 * whether it wants a stream; other streams are asked for by a parameter, or by the type of the answer.
 * @param {Operation} operation
 * @returns {string[]}
 */
export function curlCommands({ method, path, parameters = [], requestBody, responses, security }) {
  const url = parameters.reduce(
    (filled, { name, schema }) => filled.replace(`{${name}}`, String(examplesOf(schema)[0] ?? name)),
    path,
  );
  const key = !security && storedKey() !== null && '-H "Authorization: Bearer $PAWL_API_KEY"';
  const curl = (/** @type {(string | false)[]} */ ...parts) => parts.filter(Boolean).join(' \\\n  ');
  const start = (/** @type {string} */ options, query = '') =>
    `curl ${options}${method === 'GET' ? '' : ` -X ${method}`} ${quote(urlOf(url + query))}`;
  const bodies = requestBody ? Object.values(requestBody.content).flatMap(({ schema }) => examplesOf(schema)) : [];
  const isStream = Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);
  return [
    ...(requestBody ? [] : [curl(start('-s'), key)]),
    ...bodies.map((body) =>
      curl(
        start(asksForStream(body) ? '-sN' : '-s'),
        key,
        `-H 'content-type: application/json' -d ${quote(JSON.stringify(body, null, 2))}`,
      ),
    ),
    ...(isStream && !requestBody ? [followCommand()] : []),
  ];

  function followCommand() {
    return parameters.some(({ name }) => name === 'stream')
      ? curl(start('-sN', '?stream=true'), key)
      : curl(start('-sN'), key, "-H 'accept: text/event-stream'");
  }
}

/** @param {unknown} body */
function asksForStream(body) {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
