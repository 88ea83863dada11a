import { isRecord } from '../../json.ts';

/** The fields in which the parts of a reply stand, on any wire. Arguments and other data are not among them. */
const PARTS = new Set([
  ...['choices', 'delta', 'message', 'content', 'refusal', 'tool_calls', 'function_call', 'function'],
  ...['content_block', 'candidates', 'parts', 'functionCall', 'text'],
]);

/**
 * Returns a value of a stream without those of its parts that say nothing: false, an empty text, list or object, and null in a
 * list. Some servers write them in place of a part of another type.
 */
export function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((part) => !isBlank(part)).map(withoutBlanks);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name, part]) => !PARTS.has(name) || !isBlank(part));
  return Object.fromEntries(kept.map(([name, part]) => [name, PARTS.has(name) ? withoutBlanks(part) : part]));
}

function isBlank(part: unknown): boolean {
  if (part === null || part === false || part === '') return true;
  return typeof part === 'object' && Object.keys(part).length === 0;
}
