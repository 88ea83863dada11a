import type {
  ResponseInputFile as FileParam,
  ResponseInputImage as ImageParam,
  ResponseInputContent as PartParam,
} from 'openai/resources/responses/responses';
import { isRemote, readDataUrl } from '../../turn/parts/data-url.ts';
import { IMAGE_DETAILS } from '../../turn/request/input-part.ts';
import type { Part } from '../../turn/request/item.ts';

/** Renders a part of a message or result for this wire, or returns null if it is not supported. */
export function renderPart(part: Part): PartParam | null {
  switch (part.type) {
    case 'input_text':
      return { type: 'input_text', text: part.text };
    case 'input_image':
      return renderImage(part);
    case 'input_file':
      return renderFile(part);
    case 'input_audio':
      return null;
  }
}

function renderImage({ image_url: url, detail }: Extract<Part, { type: 'input_image' }>): ImageParam | null {
  const inline = readDataUrl(url);
  if (!isRemote(url) && !inline?.mediaType.startsWith('image/')) return null;
  const address = inline ? `data:${inline.mediaType};base64,${inline.base64}` : url;
  return { type: 'input_image', image_url: address, detail: IMAGE_DETAILS.find((each) => each === detail) ?? 'auto' };
}

function renderFile({ file_data, file_url, filename }: Extract<Part, { type: 'input_file' }>): FileParam | null {
  if (file_url && isRemote(file_url)) return { type: 'input_file', file_url };
  const inline = readDataUrl(file_data ?? '');
  if (inline?.mediaType !== 'application/pdf') return null;
  const data = `data:application/pdf;base64,${inline.base64}`;
  return { type: 'input_file', filename: filename || 'file.pdf', file_data: data };
}
