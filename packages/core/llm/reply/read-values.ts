import type { ProviderFailed } from '../../failure.ts';
import { isRecord, parseJson } from '../../json.ts';
import { errorInAnswer } from '../errors/error-in-answer.ts';
import { readError } from '../errors/read-error.ts';
import { type Ending, endingOf } from '../errors/reply-of-refusal.ts';
import type { ServerEvent } from '../http/read-events.ts';

/** Names the failure of an error, and writes the end of a reply, for a wire. */
export type WireErrors = { failureOf(error: unknown): ProviderFailed; writeEnding(ending: Ending): unknown };

/** Reads the values of one event. Throws an error in place of a value, unless it reports the end of the reply. */
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

/**
 * The fields that contain the value of another server in a gateway's value: Cloudflare, Google's Code Assist, others.
 */
const WRAPPERS = ['result', 'response', 'data'];

/** The fields of a value. A value without such a field may be a wrapper. */
const OWN = ['choices', 'candidates', 'type', 'error', 'usage', 'usageMetadata', 'promptFeedback'];

function unwrap(value: unknown): unknown {
  if (!isRecord(value) || hasOwn(value)) return value;
  return WRAPPERS.map((field) => value[field]).find((inner) => isRecord(inner) && hasOwn(inner)) ?? value;
}

function hasOwn(value: Record<string, unknown>): boolean {
  return OWN.some((field) => value[field] !== undefined);
}

/**
 * Returns the JSON values in the data of an event, or in a complete answer: one value, the values of a list, or a
 * value on each line. Any text that begins otherwise is ignored, since some servers send `ping` or an empty text to
 * keep a connection open. Throws a `SyntaxError` for a broken object or list.
 */
export function jsonValuesIn(data: string): unknown[] {
  if (!beginsJson(data)) return /^\s*data:/.test(data) ? jsonValuesIn(data.replace('data:', '')) : [];
  const whole = parseJson(data);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = data.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter(beginsJson).flatMap((line): unknown => JSON.parse(line));
}

/** Returns whether a text begins like a JSON object or a list. `[DONE]` ends a stream. */
function beginsJson(text: string): boolean {
  return /^\s*(?:\{|\[(?!DONE\]))/.test(text);
}
