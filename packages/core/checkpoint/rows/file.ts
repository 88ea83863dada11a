import type { Generated } from 'kysely';

/** The bytes of an image, a file or audio, kept once in a project. */
export type BlobRow = {
  project: string;
  sha256: string;
  media_type: string;
  bytes: Buffer;
  created_at: Generated<Date>;
};

/** A turn refers to a blob. */
export type BlobReferenceRow = {
  project: string;
  sha256: string;
  turn_id: string;
};

/** A file refers to the blob of its bytes; `size` counts them. */
export type FileRow = {
  id: string;
  project: string;
  sha256: string;
  media_type: string;
  size: number;
  filename: string;
  purpose: string;
  expires_at: Date | null;
  created_at: Generated<Date>;
};
