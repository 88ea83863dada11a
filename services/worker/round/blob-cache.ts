import { LRUCache } from 'lru-cache';
import { loadBlobs } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { missingNote } from '#core/llm/parts/missing-note.ts';
import type { Message } from '#core/turn/message.ts';
import { type BlobAddress, readBlobAddress } from '#core/turn/parts/blob-address.ts';
import { dataOf, withData } from '#core/turn/parts/part-data.ts';
import type { Part } from '#core/turn/request/item.ts';

/** Puts inline data where a history refers to blobs, and remembers what was sent last. */
export type BlobCache = { fill(project: string, messages: Message[]): Promise<Message[]> };

/** Characters of base64 that are remembered, in the whole process. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** What is deleted meanwhile is not kept for long. */
const LONGEST_MS = 10 * 60_000;

/** Reads the blobs of a history in one statement, without those that were sent a moment ago. */
export function makeBlobCache(db: Db): BlobCache {
  const known = new LRUCache<string, string>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (base64) => base64.length,
    ttl: LONGEST_MS,
  });

  async function load(project: string, hashes: string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const sha256 of hashes) {
      const base64 = known.get(`${project} ${sha256}`);
      if (base64 !== undefined) found.set(sha256, base64);
    }
    const unknown = hashes.filter((sha256) => !found.has(sha256));
    if (unknown.length === 0) return found;
    for (const { sha256, bytes } of await loadBlobs(db, project, unknown)) {
      const base64 = bytes.toString('base64');
      known.set(`${project} ${sha256}`, base64);
      found.set(sha256, base64);
    }
    return found;
  }

  return {
    fill: async (project, messages) => {
      const hashes = [...new Set(messages.flatMap(hashesOf))];
      if (hashes.length === 0) return messages;
      const blobs = await load(project, hashes);
      return messages.map((message) =>
        'parts' in message && message.parts
          ? { ...message, parts: message.parts.map((part) => filled(part, blobs)) }
          : message,
      );
    },
  };
}

function hashesOf(message: Message): string[] {
  const parts = 'parts' in message ? (message.parts ?? []) : [];
  return parts.flatMap((part) => blobOf(part)?.sha256 ?? []);
}

/** A blob that is gone, which no commit allows, would be a note to the model. */
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
