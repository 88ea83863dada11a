import { findFiles, type KeptFile } from '#core/checkpoint/files/files.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';

/**
 * Finds a file of a project. The answer to an id of another project is the same 404 as to an unknown id
 * (contract-responses R1).
 */
export async function findOwnFile(db: Db, project: string, id: string): Promise<KeptFile> {
  const [file] = await findFiles(db, project, [id]);
  if (!file) throw fileNotFound();
  return file;
}

/** Returns the refusal of a file that does not exist, or no longer does. */
export function fileNotFound(): RequestRefused {
  const message =
    'The file was not found. Check its id, and that the API key belongs to its project. It may have expired.';
  return new RequestRefused(404, 'file_not_found', message, 'id');
}

/** Shows a file as OpenAI's API does. */
export function presentFile({ id, size, createdAt, expiresAt, filename }: KeptFile) {
  return {
    ...{ id, object: 'file' as const, bytes: size, created_at: createdAt },
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    ...{ filename, purpose: 'user_data' as const, status: 'processed' as const },
  };
}
