import { parseJson } from '../parse-json.ts';
import type { Shape } from '../watch-fetch.ts';

/** What this wire's SDK reads: of an error only what stands under `error`, of a reply only events. */
export const shape: Shape = { error: errorBody, whole: asEvent };

function errorBody(text: string): string {
  const json = parseJson(text);
  const body = Array.isArray(json) ? json[0] : json;
  if (typeof body !== 'object' || body === null) return text;
  // xAI says `{code, error: text}`: only an object under `error` holds everything there is to know.
  return JSON.stringify('error' in body && typeof body.error === 'object' ? body : { error: body });
}

/** One event of what was sent whole; text that is no JSON object is left as it came. */
function asEvent(text: string): string {
  const json = parseJson(text);
  return typeof json === 'object' ? `data: ${JSON.stringify(json)}\n\n` : text;
}
