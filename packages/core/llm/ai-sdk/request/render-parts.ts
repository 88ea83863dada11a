import type { LanguageModelV4FilePart as FilePart, LanguageModelV4TextPart as TextPart } from '@ai-sdk/provider';
import { isRemote, readDataUrl } from '../../../turn/parts/data-url.ts';
import type { Part } from '../../../turn/request/item.ts';

/** A part of a user's message, in the interface's words. */
export type UserPart = TextPart | FilePart;

/** The media types of audio, as packages look for them. */
const AUDIO_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav' };

/** Renders a part of a user's message for the interface, or returns null if it is not supported. */
export function renderPart(part: Part): UserPart | null {
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      return renderFile(part.image_url, 'image/');
    case 'input_file': {
      const file = renderFile(part.file_url ?? part.file_data ?? '', '');
      return file && part.filename ? { ...file, filename: part.filename } : file;
    }
    case 'input_audio':
      return { type: 'file', mediaType: AUDIO_TYPES[part.format], data: { type: 'data', data: part.data } };
  }
}

/** The media types of file endings. A URL has no other type, since Pawl does not fetch it. */
const TYPES: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ pdf: 'application/pdf', txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', html: 'text/html' },
};

function renderFile(url: string, family: '' | 'image/'): FilePart | null {
  const address = isRemote(url) ? URL.parse(url) : null;
  if (address) return { type: 'file', mediaType: typeOf(address, family), data: { type: 'url', url: address } };
  const inline = readDataUrl(url);
  if (!inline?.mediaType.startsWith(family)) return null;
  return { type: 'file', mediaType: inline.mediaType, data: { type: 'data', data: inline.base64 } };
}

function typeOf({ pathname }: URL, family: '' | 'image/'): string {
  const ending = /\.([a-z0-9]+)$/i.exec(pathname)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  if (known?.startsWith(family)) return known;
  return family ? 'image/*' : 'application/octet-stream';
}

/** Addresses that a model fetches itself, by patterns of media types. */
type SupportedUrls = Record<string, RegExp[]>;

/**
 * Returns a filter for the parts that a model accepts. Addresses pass only if the model fetches them. `onHidden` gets
 * the others.
 */
export function partFilter(urls: SupportedUrls, onHidden: (what: string) => void): (part: Part) => boolean {
  return (part) => {
    const rendered = renderPart(part);
    if (rendered?.type !== 'file' || rendered.data.type !== 'url') return rendered !== null;
    const { mediaType, data } = rendered;
    const address = data.url.href.toLowerCase();
    const isFetched = Object.entries(urls).some(
      ([type, patterns]) => fitsType(mediaType, type) && patterns.some((pattern) => pattern.test(address)),
    );
    if (!isFetched) onHidden(part.type === 'input_image' ? 'an image' : 'a file');
    return isFetched;
  };
}

function fitsType(mediaType: string, pattern: string): boolean {
  return pattern === '*' || pattern === '*/*' || mediaType.startsWith(pattern.replace(/\*$/, ''));
}
