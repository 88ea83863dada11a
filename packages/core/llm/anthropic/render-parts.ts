import { isRemote, readDataUrl, textOfBase64 } from '../../turn/parts/data-url.ts';
import type { Part } from '../../turn/request/item.ts';
import type { Block } from './block.ts';

/** Renders a part of a user's message or of a result for this wire, or returns null if it is not supported. */
export function renderPart(part: Part): Block | null {
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      return renderImage(part.image_url);
    case 'input_file':
      return renderFile(part);
    case 'input_audio':
      return null;
  }
}

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

function renderImage(url: string): Block | null {
  if (isRemote(url)) return { type: 'image', source: { type: 'url', url } };
  const inline = readDataUrl(url);
  const mediaType = inline?.mediaType === 'image/jpg' ? 'image/jpeg' : inline?.mediaType;
  if (!inline || !IMAGES.includes(mediaType ?? '')) return null;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: inline.base64 } };
}

function renderFile({ file_data, file_url, filename }: Extract<Part, { type: 'input_file' }>): Block | null {
  const source = isRemote(file_url) ? { type: 'url', url: file_url } : inlineSource(file_data ?? '');
  if (!source) return null;
  return { type: 'document', source, ...(filename ? { title: filename.slice(0, 255).toWellFormed() } : {}) };
}

function inlineSource(url: string): object | null {
  const inline = readDataUrl(url);
  if (!inline) return null;
  const { mediaType, base64: data } = inline;
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  const text = mediaType.startsWith('text/') ? textOfBase64(data) : null;
  return text?.trim() ? { type: 'text', media_type: 'text/plain', data: text } : null;
}
