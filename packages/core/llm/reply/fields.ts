import { isRecord } from '../../json.ts';
import { UnusableReply } from '../unusable-reply.ts';

/**
 * These functions read the fields of a reply as loosely as servers write them. They are plain functions, since a
 * reply has hundreds of chunks and schemas would be much slower.
 */

/** An unchanged JSON object. */
export type Fields = Record<string, unknown>;

/** Reads a text. Here and below, a value of another type counts as missing, since a reply must not fail for it. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** More than any reply has. Sums of such counts are still safe. */
const MOST = 1e12;

/** Reads a count, which is whole and never negative. */
export function countIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), MOST) : null;
}

/** Reads an index. Some servers write it as a text. */
export function indexIn(value: unknown): number | null {
  const index = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : null;
}

/** Reads a word or an id. Some servers write it as a number. */
export function wordIn(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : textIn(value);
}

export function fieldsIn(value: unknown): Fields | null {
  return isRecord(value) ? value : null;
}

/** Reads a required part. Throws an `UnusableReply` if the part is present and unreadable. */
export function partIn(value: unknown): Fields | null {
  if (isRecord(value)) return value;
  if (isBlank(value)) return null;
  throw new UnusableReply('a part of the reply that cannot be read');
}

/** Reads a list of such parts, without empty parts. Some servers send a single part without a list. */
export function partsIn(value: unknown): Fields[] {
  const parts: Fields[] = [];
  for (const each of Array.isArray(value) ? value : [value]) {
    const part = partIn(each);
    if (part && Object.keys(part).length > 0) parts.push(part);
  }
  return parts;
}

/** Returns whether a part is missing. Some servers write false, an empty text or an empty list instead. */
function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === '' || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
