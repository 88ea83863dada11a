import type { ProviderFailed } from '../../failure.ts';
import { isRecord, parseJson } from '../../json.ts';
import { errorInAnswer } from '../errors/error-in-answer.ts';
import { readError } from '../errors/read-error.ts';
import { type Ending, endingOf } from '../errors/reply-of-refusal.ts';
import type { ServerEvent } from '../http/read-events.ts';

/** How a wire names the failure of an error, and how it writes the end of a reply. */
export type WireErrors = { failureOf(error: unknown): ProviderFailed; writeEnding(ending: Ending): unknown };

/** Reads the values of one event. An error in place of a value is thrown, unless it reports the end of the reply. */
export function readValues({ name, data }: ServerEvent, errors: WireErrors): unknown[] {
  const values = name === 'error' ? [parseJson(data) ?? data] : jsonValuesIn(data);
  return values.map((value) => readValue(unwrap(value), name, errors));
}

function readValue(value: unknown, name: string | null, { failureOf, writeEnding }: WireErrors): unknown {
  const error = errorInAnswer(value, name);
  if (error === undefined) return value;
  const ending = endingOf(readError(error));
  if (!ending) throw failureOf(error);
  return writeEnding(ending);
}

/** The fields in which a gateway puts the value of another server: Cloudflare, Google's Code Assist, others. */
const WRAPPERS = ['result', 'response', 'data'];

/** The fields of a value. One that has none of them may be a wrapper. */
const OWN = ['choices', 'candidates', 'type', 'error', 'usage', 'usageMetadata', 'promptFeedback'];

function unwrap(value: unknown): unknown {
  if (!isRecord(value) || hasOwn(value)) return value;
  return WRAPPERS.map((field) => value[field]).find((inner) => isRecord(inner) && hasOwn(inner)) ?? value;
}

function hasOwn(value: Record<string, unknown>): boolean {
  return OWN.some((field) => value[field] !== undefined);
}

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
