import { z } from 'zod';
import type { Redact } from '../../redact.ts';
import { cleanToolText } from '../../text.ts';
import { dataOf, withData } from '../../turn/parts/part-data.ts';
import { type NewBlob, takeInline } from '../../turn/parts/take-inline.ts';
import { InputPart, MAX_PARTS } from '../../turn/request/input-part.ts';
import { type Part, plainContent } from '../../turn/request/item.ts';
import { ToolFailed } from '../define/tool.ts';
import { cut, FULL_OUTPUT_LIMIT } from './render-output.ts';

const MAX_DATA_BYTES = 8 * 1024 * 1024;

const Parts = z.array(InputPart).max(MAX_PARTS);

/** Takes the inline data out of the parts that a tool returned. Throws `ToolFailed` for invalid parts. */
export function takeResultParts(list: readonly Part[]): { parts: Part[]; blobs: NewBlob[] } {
  const given = Parts.safeParse(list);
  if (!given.success) throw noParts(z.prettifyError(given.error).slice(0, 500));
  const blobs: NewBlob[] = [];
  const parts = given.data.map((part, index) => {
    const taken = takeInline(part);
    if (taken === null) return refusePath(part, index);
    if ('problem' in taken) throw noParts(`[${index}].${taken.field}: ${taken.problem}`);
    blobs.push(taken.blob);
    return taken.part;
  });
  if (blobs.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_DATA_BYTES)
    throw noParts(`they have more than ${MAX_DATA_BYTES / 1024 / 1024} MiB of data`);
  return { parts, blobs };
}

function refusePath(part: Part, index: number): Part {
  if (!dataOf(part)?.address.startsWith('/')) return part;
  throw noParts(`[${index}]: give the data itself`);
}

function noParts(problem: string): ToolFailed {
  return new ToolFailed('unknown', `The tool ran, but the parts that it returned cannot be used: ${problem}`);
}

/** Parts for the model (`parts`, and `content` as text), and the stored parts as JSON if texts were cut (`full`). */
export type RenderedParts = {
  parts: Part[];
  content: string;
  truncated: boolean;
  full: string | null;
  partial?: true;
};

/** Redacts parts and cuts their texts together to `limit` bytes of UTF-8, not counting the notes about cuts. */
export function renderParts(taken: readonly Part[], limit: number, redact: Redact): RenderedParts {
  const whole = taken.map((part) => cleaned(part, redact));
  const full = cutTexts(whole, FULL_OUTPUT_LIMIT);
  const parts = cutTexts(full, limit);
  const truncated = textsOf(parts) !== textsOf(whole);
  return {
    parts,
    content: plainContent(parts),
    truncated,
    full: truncated ? JSON.stringify(full) : null,
    ...(textsOf(full) === textsOf(whole) ? {} : { partial: true as const }),
  };
}

function cleaned(part: Part, redact: Redact): Part {
  const clean = (text: string) => cleanToolText(redact(text));
  if (part.type === 'input_text') return { ...part, text: clean(part.text) };
  const address = dataOf(part)?.address ?? '';
  const own = address.startsWith('https:') ? withAddress(part, clean(address)) : part;
  return own.type === 'input_file' && own.filename ? { ...own, filename: clean(own.filename) } : own;
}

function withAddress(part: Part, address: string): Part {
  return part.type === 'input_file' ? { ...part, file_url: address } : withData(part, address);
}

function cutTexts(parts: readonly Part[], limit: number): Part[] {
  let room = limit;
  return parts.map((part) => {
    if (part.type !== 'input_text') return part;
    const bytes = Buffer.byteLength(part.text);
    const own = Math.min(bytes, room);
    room -= own;
    return own === bytes ? part : { ...part, text: cut(part.text, own) };
  });
}

function textsOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'input_text' ? part.text : '')).join('\n');
}
