import { urlOf } from '../base/call.ts';
import { storedKey } from '../base/key.tsx';
import { examplesOf, type Operation } from './description.ts';

/**
 * Returns commands that call an operation: a command for each example of its body, or a command without body. Another
 * command follows its stream, if a parameter or the accepted type requests the stream.
 */
export function curlCommands({ method, path, parameters = [], requestBody, responses, security }: Operation): string[] {
  const url = parameters.reduce(
    (filled, { name, schema }) => filled.replace(`{${name}}`, String(examplesOf(schema)[0] ?? name)),
    path,
  );
  const key = !security && storedKey() !== null && '-H "Authorization: Bearer $PAWL_API_KEY"';
  const curl = (options: string, query: string, ...more: (string | false)[]) =>
    [`curl ${options}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(urlOf(url + query))}`, key, ...more]
      .filter(Boolean)
      .join(' \\\n  ');
  if (requestBody) {
    return Object.entries(requestBody.content).flatMap(([type, { schema }]) =>
      examplesOf(schema).map((body) => curl(asksForStream(body) ? '-sN' : '-s', '', bodyOption(type, body))),
    );
  }
  const isStream = Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);
  const follow = parameters.some(({ name }) => name === 'stream')
    ? curl('-sN', '?stream=true')
    : curl('-sN', '', "-H 'accept: text/event-stream'");
  return [curl('-s', ''), ...(isStream ? [follow] : [])];
}

/** Sends a form field by field. A value after `@` is the path of a file. */
function bodyOption(type: string, body: unknown): string {
  if (type !== 'multipart/form-data') return `-H 'content-type: ${type}' -d ${quoted(JSON.stringify(body, null, 2))}`;
  return Object.entries(Object(body))
    .map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`)
    .join(' ');
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
