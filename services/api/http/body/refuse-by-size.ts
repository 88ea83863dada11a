import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { isRecord } from '#core/json.ts';
import { wordOf } from '#core/text.ts';

const MIB = 1024 * 1024;

/** The beginning of the type of a part, in JSON. */
export const PART = '"input_';

/** Refuses a native body of more than 1 MiB that has no part. */
export function refuseWithoutParts(bytes: Buffer): void {
  if (bytes.length > BODY_BOUNDS.plainBytes && !bytes.includes(PART)) throw tooLarge(BODY_BOUNDS.plainBytes);
}

/** Refuses a clean native body of more than `mostBytes`, or of more than 1 MiB without its inline data. */
export function refuseBySize(clean: unknown, bytes: Buffer, mostBytes: number): void {
  if (bytes.length <= Math.min(mostBytes, BODY_BOUNDS.plainBytes)) return;
  const inline = inlineLength(clean);
  if (bytes.length > mostBytes && inline > 0) throw tooLarge(mostBytes);
  if (bytes.length <= BODY_BOUNDS.plainBytes + inline) return;
  if (Buffer.byteLength(JSON.stringify(clean)) > BODY_BOUNDS.plainBytes + inline)
    throw tooLarge(BODY_BOUNDS.plainBytes, ' without its images, files and audio');
}

/** Refuses a body by its size. `besides` names the content that is not counted. */
export function tooLarge(mostBytes: number, besides = ''): RequestRefused {
  const most = mostBytes % MIB === 0 ? `${mostBytes / MIB} MiB` : `${mostBytes} bytes`;
  const message = `The body is larger than ${most}${besides}. Send less data, or split it over several turns.`;
  return new RequestRefused(413, 'body_too_large', message);
}

/** Counts the characters of a clean body that are the data of parts. */
function inlineLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = isRecord(value) ? (INLINE_FIELDS.get(wordOf(value.type)) ?? []) : [];
  const data = own.map((field) => (isRecord(value) ? value[field] : ''));
  const length = data.reduce<number>((sum, text) => sum + (isInline(text) ? text.length : 0), 0);
  return Object.values(value).reduce<number>((sum, inner) => sum + inlineLength(inner), length);
}

/** A URL or the path of a blob does not count as data. */
function isInline(value: unknown): value is string {
  return typeof value === 'string' && !/^(?:https:\/\/|\/v1\/)/.test(value);
}

const INLINE_FIELDS = new Map([
  ['input_image', ['image_url']],
  ['input_file', ['file_data']],
  ['input_audio', ['data']],
]);
