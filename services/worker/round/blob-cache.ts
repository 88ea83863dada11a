import { LRUCache } from 'lru-cache';
import { loadBlobs } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { missingNote } from '#core/llm/parts/missing-note.ts';
import type { Message } from '#core/turn/message.ts';
import { type BlobAddress, readBlobAddress } from '#core/turn/parts/blob-address.ts';
import { dataOf, withData } from '#core/turn/parts/part-data.ts';
import type { Part } from '#core/turn/request/item.ts';
import { HistoryTooLarge, type Memory } from '../memory/memory.ts';
import { NO_SHARE } from '../memory/shares.ts';

/** Messages with the data of their blobs, and a share of the worker's memory. */
export type FilledMessages = Disposable & { messages: Message[] };

/** Fills in the data of the blobs in a history, and remembers the data that was sent last. */
export type BlobCache = { fill(project: string, messages: Message[]): Promise<FilledMessages> };

/** The maximum characters of base64 that a process remembers. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** The longest time that data is remembered, so that deleted data is not kept for long. */
const LONGEST_MS = 10 * 60_000;

/**
 * Makes a cache that reads the blobs of a history in one statement, except blobs that were sent a moment ago. Large
 * blobs wait for a share.
 */
export function makeBlobCache(db: Db, memory: Memory): BlobCache {
  const known = new LRUCache<string, string>({
    maxSize: Math.min(MOST_CHARACTERS, memory.most),
    sizeCalculation: (base64) => base64.length,
    ttl: LONGEST_MS,
  });

  function findKnown(project: string, hashes: string[]): Map<string, string> {
    const found = hashes.map((sha256) => [sha256, known.get(`${project} ${sha256}`)] as const);
    return new Map(found.flatMap(([sha256, base64]) => (base64 === undefined ? [] : [[sha256, base64]])));
  }

  /** Adds blobs to `found`, up to `most` bytes. Returns the sizes of the blobs that were not loaded. */
  async function load(project: string, { found, hashes, most }: Wanted): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    if (hashes.length === 0) return sizes;
    for (const { sha256, bytes, size } of await loadBlobs(db, project, { hashes, most })) {
      if (!bytes) sizes.set(sha256, lengthInBase64(size));
      const base64 = bytes?.toString('base64');
      if (base64 !== undefined) found.set(sha256, base64);
      if (base64 !== undefined) known.set(`${project} ${sha256}`, base64);
    }
    return sizes;
  }

  return {
    fill: async (project, messages) => {
      const all = messages.flatMap(hashesOf);
      if (all.length === 0) return { ...NO_SHARE, messages };
      const found = findKnown(project, [...new Set(all)]);
      const unknown = [...new Set(all)].filter((sha256) => !found.has(sha256));
      const sizes = await load(project, { found, hashes: unknown, most: memory.small });
      // A blob counts as often as it is sent: the body repeats its data.
      const bytes = all.reduce((sum, sha256) => sum + (found.get(sha256)?.length ?? sizes.get(sha256) ?? 0), 0);
      if (bytes > memory.most) throw new HistoryTooLarge(memory.most);
      const share = await memory.takeBlobs(bytes);
      try {
        await load(project, { found, hashes: [...sizes.keys()], most: memory.most });
      } catch (error) {
        share[Symbol.dispose]();
        throw error;
      }
      return { ...share, messages: messages.map((message) => withBlobs(message, found)) };
    },
  };
}

type Wanted = { found: Map<string, string>; hashes: string[]; most: number };

function lengthInBase64(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function withBlobs(message: Message, blobs: ReadonlyMap<string, string>): Message {
  if (!('parts' in message) || !message.parts) return message;
  return { ...message, parts: message.parts.map((part) => filled(part, blobs)) };
}

function hashesOf(message: Message): string[] {
  const parts = 'parts' in message ? (message.parts ?? []) : [];
  return parts.flatMap((part) => blobOf(part)?.sha256 ?? []);
}

/** Returns a part with its data. If the blob does not exist, which no commit allows, the model would receive a note. */
function filled(part: Part, blobs: ReadonlyMap<string, string>): Part {
  const blob = blobOf(part);
  if (!blob) return part;
  const base64 = blobs.get(blob.sha256);
  if (base64 === undefined) return { type: 'input_text', text: missingNote(part) };
  return withData(part, part.type === 'input_audio' ? base64 : `data:${blob.mediaType};base64,${base64}`);
}

function blobOf(part: Part): BlobAddress | null {
  return readBlobAddress(dataOf(part)?.address ?? '');
}
