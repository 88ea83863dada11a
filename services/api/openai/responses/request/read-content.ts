import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { fileAddress } from '#core/turn/parts/file-address.ts';
import { IMAGE_DETAILS } from '#core/turn/request/input-part.ts';
import type { Part } from '#core/turn/request/item.ts';
import { renderPath } from '../../../http/issues.ts';
import { readValue } from './explain-issues.ts';

/** Content as callers send it: a text, or parts with a type. */
export const GivenContent = z.union([z.string(), z.array(z.looseObject({ type: z.string() })).max(1_000)]);
export type GivenContent = z.output<typeof GivenContent>;

/** A text part. */
export const Text = z.object({ text: z.string() });
const Refusal = z.object({ refusal: z.string() });

/** Reads the URL of an image or a file: data, or a URL that the provider reads. */
export const addressOfData = z
  .string()
  .regex(/^(data:|https:\/\/|\/v1\/blobs\/[0-9a-f]{64}$)/, 'give a data: URL or an https address');

/** Reads the data of a file. */
export const addressOfFile = z.string().regex(/^(data:|\/v1\/blobs\/[0-9a-f]{64}$)/, 'give a data: URL');

const Image = z.object({ image_url: addressOfData, detail: z.enum(IMAGE_DETAILS).nullable().default(null) });
const File = z.object({
  filename: z.string().max(512).nullish(),
  file_data: addressOfFile.nullish(),
  file_url: addressOfData.nullish(),
});
const PartOfFile = z.object({
  file_id: z.string().min(1),
  image_url: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  detail: Image.shape.detail,
  filename: File.shape.filename,
});

/** Reads a user message or a result: text, images, files. A single text is a string. */
export function readParts(content: GivenContent, path: PropertyKey[]): string | Part[] {
  return readContent(content, path, readPart);
}

/** Reads content that can only be text. `separator` joins the texts of its parts. */
export function readText(content: GivenContent, path: PropertyKey[], separator: '' | '\n'): string {
  return joinParts(content, path, { separator, isText, refusePart });
}

type ReadPart = (part: { type: string }, path: PropertyKey[]) => Part;

/** Reads the parts of content in order. A single text is a string. */
export function readContent(content: GivenContent, path: PropertyKey[], read: ReadPart): string | Part[] {
  if (typeof content === 'string') return content;
  const parts = content.map((part, index) => read(part, [...path, index]));
  const [first, ...rest] = parts;
  return first?.type === 'input_text' && rest.length === 0 ? first.text : parts;
}

type Joining = {
  separator: '' | '\n';
  isText(type: string): boolean;
  refusePart(type: string, path: PropertyKey[]): never;
};

/** Joins the texts and the refusals of content. Parts of other types are refused. */
export function joinParts(content: GivenContent, path: PropertyKey[], joining: Joining): string {
  if (typeof content === 'string') return content;
  const texts = content.map((part, index) => {
    const at = [...path, index];
    if (joining.isText(part.type)) return readValue(Text, part, at).text;
    return part.type === 'refusal' ? readValue(Refusal, part, at).refusal : joining.refusePart(part.type, at);
  });
  return texts.join(joining.separator);
}

function readPart(part: { type: string }, path: PropertyKey[]): Part {
  if (isText(part.type)) return { type: 'input_text', text: readValue(Text, part, path).text };
  if (part.type !== 'input_image' && part.type !== 'input_file') return refusePart(part.type, path);
  if ('file_id' in part && part.file_id !== null) return readPartOfFile(part, path);
  if (part.type === 'input_image') return { type: 'input_image', ...readValue(Image, part, path) };
  return readFile(part, path);
}

/** Reads a part that names a file by its id. `resolveFiles` replaces the address by the file's data. */
function readPartOfFile(part: { type: string }, path: PropertyKey[]): Part {
  const { file_id, image_url, file_data, file_url, detail, filename } = readValue(PartOfFile, part, path);
  if (image_url || file_data || file_url) {
    const message = 'Give the data of a part or its `file_id`, not both.';
    throw new RequestRefused(400, 'mutually_exclusive_parameters', message, renderPath([...path, 'file_id']));
  }
  const address = fileAddress(file_id);
  if (part.type === 'input_image') return { type: 'input_image', image_url: address, detail };
  return { type: 'input_file', filename: filename ?? null, file_data: address };
}

function readFile(part: object, path: PropertyKey[]): Part {
  const { filename, file_data, file_url } = readValue(File, part, path);
  if (!file_data && !file_url) {
    const message = 'Give the file as file_data, a data: URL, or as file_url, an https address.';
    throw new RequestRefused(400, 'missing_required_parameter', message, renderPath([...path, 'file_data']));
  }
  return {
    type: 'input_file',
    filename: filename ?? null,
    ...(file_data ? { file_data } : { file_url: file_url ?? '' }),
  };
}

function isText(type: string): boolean {
  return type === 'input_text' || type === 'output_text' || type === 'text';
}

function refusePart(what: string, path: PropertyKey[]): never {
  const message = `Content of ${quote(what)} is not supported here. Send text, or images and files of a user as data: or https URLs.`;
  throw new RequestRefused(400, 'unsupported_content', message, renderPath([...path, 'type']));
}
