import { createHash } from 'node:crypto';
import type { Part } from '../request/item.ts';
import { blobAddress } from './blob-address.ts';
import { readDataUrl } from './data-url.ts';
import { contradictsMediaType, isMediaType, problemOfPixels } from './media-type.ts';
import { dataOf, type PartData, withData } from './part-data.ts';

/** Inline data to store: its bytes, with their declared type. */
export type NewBlob = { sha256: string; mediaType: string; bytes: Buffer };

/** The part as a row has it, with its blob, or null without inline data. `problem` ends a sentence about the field. */
export type TakenPart = { part: Part; blob: NewBlob } | { problem: string; field: PartData['field'] } | null;

/** Takes the inline data out of a part and checks it. */
export function takeInline(part: Part): TakenPart {
  const data = dataOf(part);
  if (!data || !isInline(part, data)) return null;
  const { field, address } = data;
  const read = readDataUrl(part.type === 'input_audio' ? `data:audio/${part.format};base64,${part.data}` : address);
  if (!read) return { field, problem: `give ${WANTED[part.type]}, of at least one byte` };
  const mediaType = read.mediaType === 'image/jpg' ? 'image/jpeg' : read.mediaType;
  const bytes = Buffer.from(read.base64, 'base64');
  const problem = problemOf({ part, mediaType, bytes });
  if (problem) return { field, problem };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { part: withData(part, blobAddress({ sha256, mediaType })), blob: { sha256, mediaType, bytes } };
}

/** Returns whether a part has inline data. Audio always has data. Images and files may have an address instead. */
function isInline(part: Part, { address }: PartData): boolean {
  return part.type === 'input_audio' ? !address.startsWith('blob:') : /^data:/i.test(address);
}

const WANTED: Record<Part['type'], string> = {
  input_text: 'a text',
  input_image: 'an image as a data: URL in base64',
  input_file: 'a file as a data: URL in base64',
  input_audio: 'audio in base64',
};

type Read = { part: Part; mediaType: string; bytes: Buffer };

function problemOf({ part, mediaType, bytes }: Read): string | null {
  if (!isMediaType(mediaType)) return 'name the media type in the data: URL, such as image/png';
  if (part.type === 'input_image' && !mediaType.startsWith('image/'))
    return 'give an image, or send the file as an input_file';
  if (contradictsMediaType(mediaType, bytes)) return `the bytes are not ${mediaType}, name their media type`;
  return problemOfPixels(mediaType, bytes);
}
