import { isRecord } from '../../json.ts';
import { cleanText } from '../../text.ts';
import { shownAddress } from '../parts/blob-address.ts';
import type { HostedType } from './hosted-tool.ts';

/**
 * A call of a hosted tool, as rows and callers have it. `offset` is the length of the round's text before the call,
 * in UTF-16 code units. `error` is null unless the call failed. Only live events show a call that is `in_progress`.
 */
export type HostedCall = {
  id: string;
  type: HostedType;
  status: 'in_progress' | 'completed' | 'failed';
  input: Record<string, unknown> | null;
  output: string | null;
  error: string | null;
  offset: number;
};

/** A source of a piece of a text. The indexes count UTF-16 code units, and `end_index` is exclusive. */
export type Annotation =
  | { type: 'url_citation'; url: string; title?: string; start_index: number; end_index: number }
  | { type: 'file_citation'; file_id: string; title?: string; start_index: number; end_index: number };

/**
 * An image that the model made. `url` is a `data:` URL in a reply, and the address of a blob in a row. `offset` is
 * the length of the text before the image, in UTF-16 code units.
 */
export type GeneratedImage = { url: string; offset: number };

/** The additions of a provider to the text of a reply, in the order of the reply. */
export type Hosted = { calls: HostedCall[]; annotations: Annotation[]; images: GeneratedImage[] };

/** The maximum UTF-8 bytes of a call's output in rows and answers. The whole output stays in the provider's state. */
const MOST_OUTPUT_BYTES = 64 * 1024;

/** Returns an output cut to 64 KiB, at a character. */
function cutHostedOutput(output: string): string {
  if (Buffer.byteLength(output) <= MOST_OUTPUT_BYTES) return output;
  return new TextDecoder().decode(Buffer.from(output).subarray(0, MOST_OUTPUT_BYTES), { stream: true });
}

/** Returns a call as rows have it: with its output cut, and with texts that PostgreSQL can hold. */
export function storedCall<Call extends Pick<HostedCall, 'output'>>(call: Call): Call {
  return cleanJson({ ...call, output: call.output === null ? null : cutHostedOutput(call.output) });
}

/** Returns a value with texts that PostgreSQL can hold, also as names of fields. */
export function cleanJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    if (typeof each === 'string') return cleanText(each);
    return isRecord(each) ? Object.fromEntries(Object.entries(each).map(([name, at]) => [cleanText(name), at])) : each;
  });
}

/** Returns the annotations that lie within a text. A provider may cite a place outside the text. */
export function annotationsWithin(annotations: readonly Annotation[], text: string): Annotation[] {
  return annotations.filter(
    ({ start_index: start, end_index: end }) => start >= 0 && start <= end && end <= text.length,
  );
}

/** Counts calls by their kinds, or returns undefined if there are none. */
export function countHostedCalls(calls: readonly Pick<HostedCall, 'type'>[]): Record<string, number> | undefined {
  if (calls.length === 0) return undefined;
  const counts: Record<string, number> = {};
  for (const { type } of calls) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** A piece of an answer with images. */
export type OutputPart =
  | { type: 'output_text'; text: string; annotations: Annotation[] }
  | { type: 'output_image'; image_url: string };

/**
 * Returns a text and its images in order, or null if there are no images. The annotations of a piece count within the
 * piece. A citation across an image is omitted.
 */
export function outputPartsOf(text: string | null, hosted: Omit<Hosted, 'calls'> | null): OutputPart[] | null {
  if (!hosted || hosted.images.length === 0) return null;
  const whole = text ?? '';
  const offsets = [...hosted.images.map(({ offset }) => Math.min(offset, whole.length)), whole.length];
  return offsets.flatMap((end, index) => {
    const start = offsets[index - 1] ?? 0;
    const image = hosted.images[index];
    return [
      ...textPart(whole.slice(start, end), annotationsFrom(hosted.annotations, start, end)),
      ...(image ? [{ type: 'output_image' as const, image_url: shownAddress(image.url) }] : []),
    ];
  });
}

function textPart(text: string, annotations: Annotation[]): OutputPart[] {
  return text ? [{ type: 'output_text', text, annotations }] : [];
}

function annotationsFrom(annotations: readonly Annotation[], start: number, end: number): Annotation[] {
  return annotations
    .filter(({ start_index, end_index }) => start_index >= start && end_index <= end)
    .map((each) => ({ ...each, start_index: each.start_index - start, end_index: each.end_index - start }));
}
