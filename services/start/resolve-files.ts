import { findFiles, type KeptFile } from '#core/checkpoint/files/files.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { blobAddress } from '#core/turn/parts/blob-address.ts';
import { readFileAddress } from '#core/turn/parts/file-address.ts';
import { dataOf, mapParts, type PlacedPart, partsOf, withData } from '#core/turn/parts/part-data.ts';
import type { InputItem, Part } from '#core/turn/request/item.ts';

/**
 * Puts the address of a blob into each part that names a file of the project (`fileAddress`). The part then works
 * like a part with the same bytes inline. Refuses a part if its file does not exist or has expired, by the path of
 * its `file_id`.
 */
export async function resolveFiles(
  db: Db,
  project: string,
  input: readonly InputItem[],
): Promise<readonly InputItem[]> {
  const ids = partsOf(input).flatMap(({ part }) => fileIdOf(part) ?? []);
  if (ids.length === 0) return input;
  const files = await findFiles(db, project, [...new Set(ids)]);
  const byId = new Map(files.map((file) => [file.id, file]));
  return mapParts(input, (placed) => resolvePart(placed, byId));
}

/** Only images and files can name a file. The data of audio is base64. */
function fileIdOf(part: Part): string | null {
  return part.type === 'input_audio' ? null : readFileAddress(dataOf(part)?.address ?? '');
}

function resolvePart({ part, path }: PlacedPart, files: ReadonlyMap<string, KeptFile>): Part {
  const id = fileIdOf(part);
  if (id === null) return part;
  const file = files.get(id);
  const param = `${path}.file_id`;
  if (!file)
    throw invalid(param, 'does not name a file of this project, or the file has expired. Create the file again.');
  const isWrong = part.type === 'input_image' && !file.mediaType.startsWith('image/');
  if (isWrong) throw invalid(param, 'does not name an image. Send the file as an `input_file`.');
  const resolved = withData(part, blobAddress(file));
  return resolved.type === 'input_file' ? { ...resolved, filename: resolved.filename ?? file.filename } : resolved;
}

function invalid(param: string, problem: string): RequestRefused {
  return new RequestRefused(400, 'invalid_value', `\`${param}\` ${problem}`, param);
}
