import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { isRecord } from '#core/json.ts';
import { wordOf } from '#core/text.ts';

const MIB = 1024 * 1024;

/** The beginning of the type of a part, in JSON. */
export const PART = '"input_';

/** Refuses a native body that is larger than 1 MiB and has no part in it. */
export function refuseWithoutParts(bytes: Buffer): void {
  if (bytes.length > BODY_BOUNDS.plainBytes && !bytes.includes(PART)) throw tooLarge(BODY_BOUNDS.plainBytes);
}

/** Refuses a clean native body: with inline data in it, of more than `mostBytes`, and of more than 1 MiB without that. */
export function refuseBySize(clean: unknown, bytes: Buffer, mostBytes: number): void {
  if (bytes.length <= Math.min(mostBytes, BODY_BOUNDS.plainBytes)) return;
  const inline = inlineLength(clean);
  if (bytes.length > mostBytes && inline > 0) throw tooLarge(mostBytes);
  if (bytes.length <= BODY_BOUNDS.plainBytes + inline) return;
  if (Buffer.byteLength(JSON.stringify(clean)) > BODY_BOUNDS.plainBytes + inline)
    throw tooLarge(BODY_BOUNDS.plainBytes, ' without its images, files and audio');
}

/** Refuses a body by its size; `besides` says what of it is not counted. */
export function tooLarge(mostBytes: number, besides = ''): RequestRefused {
  const most = mostBytes % MIB === 0 ? `${mostBytes / MIB} MiB` : `${mostBytes} bytes`;
  const message = `The body is larger than ${most}${besides}. Send less, or split it over turns.`;
  return new RequestRefused(413, 'body_too_large', message);
}

/** Characters of a clean body that are the data of parts, at any place. */
function inlineLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = isRecord(value) ? (INLINE_FIELDS.get(wordOf(value.type)) ?? []) : [];
  const data = own.map((field) => (isRecord(value) ? value[field] : ''));
  const length = data.reduce<number>((sum, text) => sum + (isInline(text) ? text.length : 0), 0);
  return Object.values(value).reduce<number>((sum, inner) => sum + inlineLength(inner), length);
}

/** An address, or the path of a blob, is no data. */
function isInline(value: unknown): value is string {
  return typeof value === 'string' && !/^(?:https:\/\/|\/v1\/)/.test(value);
}

const INLINE_FIELDS = new Map([
  ['input_image', ['image_url']],
  ['input_file', ['file_data']],
  ['input_audio', ['data']],
]);
