import type { ChatCompletionContentPart as PartParam } from 'openai/resources/chat/completions';
import type { Message } from '../../turn/message.ts';
import { isRemote, readDataUrl } from '../../turn/parts/data-url.ts';
import type { Part } from '../../turn/request/item.ts';
import { missingNote } from '../parts/missing-note.ts';
import { partsBehindResults } from '../parts/parts-behind-results.ts';

/** One part of a user's message as this wire takes it; null where it does not (contract-more: parts). */
export function renderPart(part: Part): PartParam | null {
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      return renderImage(part);
    case 'input_file':
      return renderFile(part);
    case 'input_audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  }
}

/** A user's parts, without blank texts, and with a note for each part that the wire does not take. */
export function renderParts(parts: Part[]): PartParam[] {
  return parts
    .map((part): PartParam => renderPart(part) ?? { type: 'text', text: missingNote(part) })
    .filter((part) => part.type !== 'text' || part.text.trim() !== '');
}

/** The same history where results have text only: what the wire takes of their parts stands behind them. */
export function withoutPartsInResults(messages: Message[]): Message[] {
  return partsBehindResults(messages, renderPart);
}

const DETAILS = ['auto', 'low', 'high'] as const;

function renderImage({ image_url: url, detail }: Extract<Part, { type: 'input_image' }>): PartParam | null {
  const inline = readDataUrl(url);
  if (!isRemote(url) && !inline?.mediaType.startsWith('image/')) return null;
  const known = DETAILS.find((each) => each === detail);
  const address = inline ? `data:${inline.mediaType};base64,${inline.base64}` : url;
  return { type: 'image_url', image_url: { url: address, ...(known ? { detail: known } : {}) } };
}

function renderFile({ file_data, filename }: Extract<Part, { type: 'input_file' }>): PartParam | null {
  const inline = readDataUrl(file_data ?? '');
  if (inline?.mediaType !== 'application/pdf') return null;
  const data = `data:application/pdf;base64,${inline.base64}`;
  return { type: 'file', file: { filename: filename || 'file.pdf', file_data: data } };
}
