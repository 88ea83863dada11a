import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { fileAddress } from '#core/turn/parts/file-address.ts';
import { audioData, IMAGE_DETAILS } from '#core/turn/request/input-part.ts';
import type { Part } from '#core/turn/request/item.ts';
import { renderPath } from '../../../http/issues.ts';
import { readValue } from '../../responses/request/explain-issues.ts';
import {
  addressOfData,
  addressOfFile,
  type GivenContent,
  joinParts,
  readContent,
  Text,
} from '../../responses/request/read-content.ts';

const Image = z.object({
  image_url: z.object({ url: addressOfData, detail: z.enum(IMAGE_DETAILS).nullable().default(null) }),
});
const Audio = z.object({
  input_audio: z.object({ data: audioData, format: z.enum(['mp3', 'wav']) }),
});
const File = z.object({
  file: z.object({
    filename: z.string().max(512).nullish(),
    file_data: addressOfFile.nullish(),
    file_url: addressOfData.nullish(),
    file_id: z.string().min(1).max(64).nullish(),
  }),
});

/** Reads the parts of a user message or a result: text, images, audio, files. A single text is a string. */
export function readMessageParts(content: GivenContent, path: PropertyKey[]): string | Part[] {
  return readContent(content, path, readPart);
}

/** Reads content that can only be text, including a refusal: the texts of its parts, joined by `separator`. */
export function readMessageText(content: GivenContent, path: PropertyKey[], separator: '' | '\n'): string {
  return joinParts(content, path, { separator, isText: (type) => type === 'text', refusePart });
}

function readPart(part: { type: string }, path: PropertyKey[]): Part {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: readValue(Text, part, path).text };
    case 'image_url': {
      const { url, detail } = readValue(Image, part, path).image_url;
      return { type: 'input_image', image_url: url, detail };
    }
    case 'input_audio':
      return { type: 'input_audio', ...readValue(Audio, part, path).input_audio };
    case 'file':
      return readFile(part, path);
    default:
      return refusePart(part.type, path);
  }
}

function readFile(part: object, path: PropertyKey[]): Part {
  const { filename = null, file_data, file_url, file_id } = readValue(File, part, path).file;
  if (file_id && (file_data || file_url)) {
    const message = 'The file has a `file_id` and data. Give either `file_id` or `file_data`.';
    const param = renderPath([...path, 'file', 'file_id']);
    throw new RequestRefused(400, 'mutually_exclusive_parameters', message, param);
  }
  if (file_id) return { type: 'input_file', filename, file_data: fileAddress(file_id) };
  if (file_data) return { type: 'input_file', filename, file_data };
  if (file_url) return { type: 'input_file', filename, file_url };
  const message = 'The file has no data. Give `file_data` (a data: URL) or `file_id`.';
  throw new RequestRefused(400, 'missing_required_parameter', message, renderPath([...path, 'file', 'file_data']));
}

function refusePart(type: string, path: PropertyKey[]): never {
  const message = `Parts of type ${quote(type)} are not supported here. Send text. A user may also send images, audio and files.`;
  throw new RequestRefused(400, 'unsupported_content', message, renderPath([...path, 'type']));
}
