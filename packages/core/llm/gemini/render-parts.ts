import type { Part as PartParam } from '@google/genai';
import { isRemote, readDataUrl } from '../../turn/parts/data-url.ts';
import { typeOfEnding } from '../../turn/parts/type-of-file.ts';
import type { Part } from '../../turn/request/item.ts';

/** Renders a part of a user's message for this wire, or returns null if it is not supported. */
export function renderPart(part: Part): PartParam | null {
  switch (part.type) {
    case 'input_text':
      return { text: part.text };
    case 'input_image':
      return renderAddress(part.image_url, 'image/');
    case 'input_file':
      return part.file_url ? renderAddress(part.file_url, '') : renderAddress(part.file_data ?? '', '');
    case 'input_audio':
      return { inlineData: { mimeType: `audio/${part.format}`, data: part.data } };
  }
}

function renderAddress(url: string, family: string): PartParam | null {
  if (isRemote(url)) {
    const mimeType = typeOfEnding(URL.parse(url)?.pathname ?? '');
    return { fileData: { fileUri: url, ...(mimeType === null ? {} : { mimeType }) } };
  }
  const inline = readDataUrl(url);
  if (!inline?.mediaType.startsWith(family)) return null;
  return { inlineData: { mimeType: inline.mediaType, data: inline.base64 } };
}
