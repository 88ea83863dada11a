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
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
    examplesOf(schema).map((body) => ({ body, type })),
  );
  const isStream = Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);
  return [
    ...(requestBody ? [] : [curl(start('-s'), key)]),
    ...bodies.map(({ body, type }) => curl(start(asksForStream(body) ? '-sN' : '-s'), key, bodyOption(type, body))),
    ...(isStream && !requestBody ? [followCommand()] : []),
  ];

  function followCommand() {
    return parameters.some(({ name }) => name === 'stream')
      ? curl(start('-sN', '?stream=true'), key)
      : curl(start('-sN'), key, "-H 'accept: text/event-stream'");
  }
}

/**
 * A form is sent field by field; a value after `@` is the path of a file.
 * @param {string} type
 * @param {unknown} body
 */
function bodyOption(type, body) {
  if (type !== 'multipart/form-data') return `-H 'content-type: ${type}' -d ${quote(JSON.stringify(body, null, 2))}`;
  return Object.entries(Object(body))
    .map(([name, value]) => `-F ${quote(`${name}=${value}`)}`)
    .join(' ');
}

/** @param {unknown} body */
function asksForStream(body) {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
