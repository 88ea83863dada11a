import type { Segment } from './grounding.ts';

/** The kind of a part of a reply's content, and the range of the text that the part has, in UTF-16 code units. */
export type ContentRun = { kind: 'text' | 'thought' | 'other'; start: number; end: number };

/** A range of a text in UTF-16 code units. `end` is exclusive. */
export type TextRange = { start: number; end: number };

/**
 * Returns the range of each segment in the text of a reply, or null for a segment outside the text. A segment counts
 * bytes within a part of the content. Servers differ in the parts that they count, so that the text of the segment
 * decides: the part may be one of all parts, one of the texts, or the whole text.
 */
export function locateSegments(
  segments: readonly Segment[],
  text: string,
  runs: readonly ContentRun[],
): (TextRange | null)[] {
  if (segments.length === 0) return [];
  const bytes = byteOffsets(text);
  const texts = runs.filter(({ kind }) => kind === 'text');
  return segments.map((segment) => {
    const inContent = runs[segment.part];
    const bases = [inContent?.kind === 'text' ? inContent : null, texts[segment.part], { start: 0, end: text.length }];
    const ranges = bases.flatMap((base) => (base && rangeIn(base, segment, bytes)) ?? []);
    const said = ranges.find(
      ({ start, end }) => end - start === segment.text?.length && text.startsWith(segment.text, start),
    );
    return said ?? ranges[0] ?? null;
  });
}

function rangeIn(base: TextRange, segment: Segment, bytes: Uint32Array): TextRange | null {
  const from = bytes[base.start] ?? 0;
  const [start, end] = [unitAt(bytes, from + segment.start), unitAt(bytes, from + segment.end)];
  return start < end && end <= base.end ? { start, end } : null;
}

/** Returns the bytes of UTF-8 before each code unit of a well-formed text, and of the whole text. */
function byteOffsets(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1);
  for (let unit = 0; unit < text.length; unit += 1) {
    offsets[unit + 1] = (offsets[unit] ?? 0) + bytesOf(text.charCodeAt(unit));
  }
  return offsets;
}

/** Returns the bytes of a code unit. The second half of a surrogate pair counts as all bytes, so no range splits it. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  return code < 0xdc00 ? 0 : 4;
}

/** Returns the first code unit at or after a byte. For a byte after the text, this is more than the text has. */
function unitAt(offsets: Uint32Array, byte: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}
