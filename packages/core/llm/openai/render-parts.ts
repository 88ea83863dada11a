import type { ChatCompletionContentPart as PartParam } from 'openai/resources/chat/completions';
import { isRemote, readDataUrl } from '../../turn/parts/data-url.ts';
import type { Part } from '../../turn/request/item.ts';

/** Renders a part of a user's message for this wire, or returns null if it is not supported. */
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
