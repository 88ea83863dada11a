import { parseJson } from '../../parse-json.ts';
import { exceedsJson } from '../../reply-limits.ts';

/** The value a JSON text stands for; undefined where it is no JSON, or more or deeper than an event may be. */
export function parseFitting(text: string): unknown {
  return exceedsJson(text) ? undefined : parseJson(text);
}
