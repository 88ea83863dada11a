/**
 * The address of inline data that is stored apart: the SHA-256 of its bytes, in hex, and the media type of its part.
 */
export type BlobAddress = { sha256: string; mediaType: string };

/** Returns the text that replaces inline data in a row. */
export function blobAddress({ sha256, mediaType }: BlobAddress): string {
  return `blob:${sha256};${mediaType}`;
}

/** Reads the text that replaces inline data in a row, or null for any other text. */
export function readBlobAddress(address: string): BlobAddress | null {
  const [, sha256, mediaType] = /^blob:([0-9a-f]{64});(.+)$/s.exec(address) ?? [];
  return sha256 && mediaType ? { sha256, mediaType } : null;
}

const SHOWN = '/v1/blobs/';

/** Returns an address as callers see it: the path of a blob. Other addresses stay as they are. */
export function shownAddress(address: string): string {
  const blob = readBlobAddress(address);
  return blob ? `${SHOWN}${blob.sha256}` : address;
}

/** Returns the SHA-256 that a path of a blob contains, or null for any other text. */
export function readShownAddress(address: string): string | null {
  return /^\/v1\/blobs\/([0-9a-f]{64})$/.exec(address)?.[1] ?? null;
}
