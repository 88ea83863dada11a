import { findBlobTypes, keepBlobs } from '#core/checkpoint/blobs.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import { shorten } from '#core/text.ts';
import { blobAddress, readBlobAddress, readShownAddress } from '#core/turn/parts/blob-address.ts';
import { dataOf, mapParts, type PlacedPart, partsOf, withData } from '#core/turn/parts/part-data.ts';
import { type NewBlob, takeInline } from '#core/turn/parts/take-inline.ts';
import type { InputItem, Part } from '#core/turn/request/item.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { resolveFiles } from './resolve-files.ts';

/** An input in its stored form, and the blobs that it refers to: all by hash, new blobs with their bytes. */
export type TakenInput = { input: InputItem[]; hashes: string[]; blobs: NewBlob[] };

type Given = { project: string; input: readonly InputItem[]; wire: Capabilities['wire'] | null };

/** Returns whether an input has more than text, so that its blobs must be written with it. */
export function hasData(input: readonly InputItem[]): boolean {
  return partsOf(input).some(({ part }) => dataOf(part) !== null);
}

/** Characters of inline data after which other work may run. */
const LARGE_LENGTH = 64 * 1024;

/**
 * Takes inline data out of an input, and looks up the blobs that it names by path or by file. Refuses invalid data,
 * and a part that the wire does not support, with its path. An input without a `wire` is not sent to a provider yet.
 */
export async function takeParts(db: Db, { project, input, wire }: Given): Promise<TakenInput> {
  if (partsOf(input).length === 0) return { input: [...input], hashes: [], blobs: [] };
  const known = await withAddresses(db, project, await resolveFiles(db, project, input));
  const blobs: NewBlob[] = [];
  const parts = new Map<Part, Part>();
  for (const placed of partsOf(known)) {
    if ((dataOf(placed.part)?.address.length ?? 0) > LARGE_LENGTH) await yieldToEventLoop();
    parts.set(placed.part, takePart(placed, blobs));
  }
  const taken = mapParts(known, ({ part }) => parts.get(part) ?? part);
  const problem = wire && unsupportedParts(wire, known);
  if (problem) throw new RequestRefused(400, 'unsupported_content', problem.message, problem.param);
  return { input: taken, hashes: hashesOf(taken), blobs };
}

/** Does the same for the parts of a result, at any `path`. A note replaces parts that the wire does not support. */
export async function takeOutput(
  db: Db,
  { project, parts, path }: { project: string; parts: Part[]; path: string },
): Promise<{ parts: Part[] } & Omit<TakenInput, 'input'>> {
  const item = { type: 'function_call_output' as const, call_id: '', output: parts };
  const { input, ...taken } = await takeParts(db, { project, input: [item], wire: null }).catch((error: unknown) => {
    if (!(error instanceof RequestRefused)) throw error;
    const { status, code, message, param } = error;
    throw new RequestRefused(status, code, inPath(message, path), param && inPath(param, path));
  });
  return { parts: partsOf(input).map(({ part }) => part), ...taken };
}

function inPath(text: string, path: string): string {
  return text.replace('input[0]', path);
}

/** Stores the blobs that an input refers to, in the transaction that records the turn. */
export async function keepTaken(
  trx: Trx,
  { project, turnId, taken }: { project: string; turnId: string; taken: Omit<TakenInput, 'input'> },
): Promise<void> {
  if (taken.hashes.length === 0) return;
  const [missing] = await keepBlobs(trx, { project, turnId, hashes: taken.hashes, blobs: taken.blobs });
  if (missing !== undefined) throw noBlob(missing, 'input');
}

/** Returns the hashes of all blobs that the parts of an input refer to. */
function hashesOf(input: readonly InputItem[]): string[] {
  const found = partsOf(input).flatMap(({ part }) => readBlobAddress(dataOf(part)?.address ?? '')?.sha256 ?? []);
  return [...new Set(found)];
}

/** Returns the same input with the address of each blob that it names by path. */
async function withAddresses(db: Db, project: string, input: readonly InputItem[]): Promise<readonly InputItem[]> {
  const named = partsOf(input).flatMap(({ part }) => readShownAddress(dataOf(part)?.address ?? '') ?? []);
  if (named.length === 0) return input;
  const types = await findBlobTypes(db, project, [...new Set(named)]);
  return mapParts(input, (placed) => withAddress(placed, types));
}

function withAddress({ part, path }: PlacedPart, types: ReadonlyMap<string, string>): Part {
  const data = dataOf(part);
  const sha256 = data && readShownAddress(data.address);
  if (!data || !sha256) return part;
  const mediaType = types.get(sha256);
  if (mediaType === undefined) throw noBlob(sha256, `${path}.${data.field}`);
  if (part.type === 'input_image' && !mediaType.startsWith('image/'))
    throw invalid(`${path}.${data.field}`, 'give an image, or send the file as an input_file');
  if (part.type === 'input_audio' && !AUDIO_TYPES[part.format].includes(mediaType))
    throw invalid(`${path}.${data.field}`, `this blob is ${mediaType}, so give a blob of type audio/${part.format}`);
  const own = part.type === 'input_audio' ? `audio/${part.format}` : mediaType;
  return withData(part, blobAddress({ sha256, mediaType: own }));
}

/** Other names of the audio formats, for bytes from a file. */
const AUDIO_TYPES = {
  mp3: ['audio/mp3', 'audio/mpeg'],
  wav: ['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave'],
};

function takePart({ part, path }: PlacedPart, blobs: NewBlob[]): Part {
  const taken = takeInline(part);
  if (taken === null) return part;
  if ('problem' in taken) throw invalid(`${path}.${taken.field}`, taken.problem);
  blobs.push(taken.blob);
  return taken.part;
}

function invalid(param: string, problem: string): RequestRefused {
  return new RequestRefused(400, 'invalid_value', `\`${param}\` is not valid: ${problem}.`, param);
}

function noBlob(sha256: string, param: string): RequestRefused {
  const message = `Blob ${shorten(sha256)} not found in this project. Send its data again, as a data: URL.`;
  return new RequestRefused(400, 'invalid_value', message, param);
}
