import type { LanguageModelV4FilePart as FilePart, LanguageModelV4TextPart as TextPart } from '@ai-sdk/provider';
import type { Message } from '../../../turn/message.ts';
import { isRemote, readDataUrl } from '../../../turn/parts/data-url.ts';
import type { Part } from '../../../turn/request/item.ts';
import { missingNote } from '../../parts/missing-note.ts';
import { partsBehindResults } from '../../parts/parts-behind-results.ts';

/** A part of a user's message, in the interface's words. */
export type UserPart = TextPart | FilePart;

/** The media types of audio, as packages look for them. */
const AUDIO_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav' };

/** One part of a user's message as the interface takes it; null where it does not (contract-more: parts). */
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

/** A user's parts, without blank texts, and with a note for each part that cannot be given. */
export function renderParts(parts: Part[], mayShow: (part: Part) => boolean): UserPart[] {
  return parts
    .map((part): UserPart => (mayShow(part) && renderPart(part)) || { type: 'text', text: missingNote(part) })
    .filter((part) => part.type !== 'text' || part.text.trim() !== '');
}

/** The same history where results have text only: many packages would give a model parts inside a result as base64 to read. */
export function withoutPartsInResults(messages: Message[]): Message[] {
  return partsBehindResults(messages, renderPart);
}

/** The media types of file endings; of a URL nothing else is known, since Pawl does not fetch it. */
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
