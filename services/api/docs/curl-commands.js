/** @import { Operation } from './described.js' */
import { urlOf } from '../inspector/api.js';
import { storedKey } from '../inspector/key.js';
import { examplesOf } from './described.js';

/**
 * Commands that use an operation: one for each body it shows, and one to follow what it streams.
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
  const start = `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${quote(urlOf(url))}`;
  const bodies = requestBody ? Object.values(requestBody.content).flatMap(({ schema }) => examplesOf(schema)) : [];
  const isStream = Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);
  return [
    ...(requestBody ? [] : [curl(start, key)]),
    ...bodies.map((body) =>
      curl(start, key, `-H 'content-type: application/json' -d ${quote(JSON.stringify(body, null, 2))}`),
    ),
    ...(isStream ? [curl(start.replace('-s', '-sN'), key, "-H 'accept: text/event-stream'")] : []),
  ];
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
