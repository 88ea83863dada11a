/** Inline data that is kept apart: the SHA-256 of its bytes, in hex, and the media type that its part gives it. */
export type BlobAddress = { sha256: string; mediaType: string };

/** What stands in a row where inline data stood. */
export function blobAddress({ sha256, mediaType }: BlobAddress): string {
  return `blob:${sha256};${mediaType}`;
}

/** Reads what stands in a row in the place of inline data; null for anything else. */
export function readBlobAddress(address: string): BlobAddress | null {
  const [, sha256, mediaType] = /^blob:([0-9a-f]{64});(.+)$/s.exec(address) ?? [];
  return sha256 && mediaType ? { sha256, mediaType } : null;
}

const SHOWN = '/v1/blobs/';

/** An address as callers read it: the path of a blob, everything else as it is. */
export function shownAddress(address: string): string {
  const blob = readBlobAddress(address);
  return blob ? `${SHOWN}${blob.sha256}` : address;
}

/** The SHA-256 that a path of a blob names; null for anything else. */
export function readShownAddress(address: string): string | null {
  return /^\/v1\/blobs\/([0-9a-f]{64})$/.exec(address)?.[1] ?? null;
}
