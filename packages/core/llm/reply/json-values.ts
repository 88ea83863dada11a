import { parseJson } from '../../json.ts';

/**
 * The JSON values in the data of an event, or in a whole answer: one value, the values of a list, or those on each
 * line. A text that does not begin like an object or a list says nothing: some servers send `ping`, or nothing, to keep
 * a connection open. Throws a `SyntaxError` for an object or a list that is broken.
 */
export function jsonValuesIn(data: string): unknown[] {
  if (!beginsJson(data)) return /^\s*data:/.test(data) ? jsonValuesIn(data.replace('data:', '')) : [];
  const whole = parseJson(data);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = data.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter(beginsJson).flatMap((line): unknown => JSON.parse(line));
}

/** Whether a text begins like a JSON object or a list. `[DONE]` ends a stream. */
function beginsJson(text: string): boolean {
  return /^\s*(?:\{|\[(?!DONE\]))/.test(text);
}
