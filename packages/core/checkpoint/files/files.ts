import { sql } from 'kysely';
import { isFileId } from '../../id.ts';
import { read } from '../../postgres/read-write.ts';
import type { NewBlob } from '../../turn/parts/take-inline.ts';
import { insertBlob } from '../blobs.ts';
import { isUnexpired } from '../sql/unexpired.ts';
import type { Db, Trx } from '../tables.ts';

/** A file of a project. `size` is in bytes, times are Unix seconds, and `expiresAt` is null if it does not expire. */
export type KeptFile = {
  id: string;
  sha256: string;
  mediaType: string;
  size: number;
  filename: string;
  purpose: string;
  createdAt: number;
  expiresAt: number | null;
};

/** A file to store. `expiresInSeconds` counts from its creation. */
export type NewFile = {
  id: string;
  project: string;
  filename: string;
  purpose: string;
  blob: NewBlob;
  expiresInSeconds: number | null;
};

/** Saves a file, and its bytes as a blob. */
export async function createFile(trx: Trx, { id, project, filename, purpose, blob, ...file }: NewFile): Promise<void> {
  const { sha256, mediaType, bytes } = blob;
  await insertBlob(trx, project, blob);
  await sql`
    insert into files (id, project, sha256, media_type, size, filename, purpose, expires_at)
    values (${id}, ${project}, ${sha256}, ${mediaType}, ${bytes.length}, ${filename}, ${purpose},
      now() + make_interval(secs => ${file.expiresInSeconds}::double precision))`.execute(trx);
}

/** Finds files of a project by texts that may be ids. Leaves out expired files. */
export async function findFiles(db: Db, project: string, ids: readonly string[]): Promise<KeptFile[]> {
  const query = sql<KeptFile>`
    select ${columns} from files
    where project = ${project} and ${isUnexpired}
      and id in (select value from json_array_elements_text(${ids.filter(isFileId)}::json))`;
  return read(db, query);
}

/** A page of a list. `after` is the last id of the previous page. */
export type FilePage = {
  purpose?: string | undefined;
  order: 'asc' | 'desc';
  after?: string | undefined;
  limit: number;
};

/** Lists files of a project by age, with one more than `limit` if others follow. */
export async function listFiles(
  db: Db,
  project: string,
  { purpose, order, after, limit }: FilePage,
): Promise<KeptFile[]> {
  const beyond = order === 'asc' ? sql`>` : sql`<`;
  const query = sql<KeptFile>`
    select ${columns} from files
    where project = ${project} and ${isUnexpired}
      ${purpose === undefined ? sql`` : sql`and purpose = ${purpose}`}
      ${after === undefined ? sql`` : sql`and id ${beyond} ${after}`}
    order by id ${sql.raw(order)} limit ${limit + 1}`;
  return read(db, query);
}

/**
 * Deletes a file, and its blob if no other row refers to it. Returns whether the project has the file. Uses its own
 * transaction, since the lock of a blob must not wait for other statements.
 */
export async function deleteFile(db: Db, project: string, id: string): Promise<boolean> {
  if (!isFileId(id)) return false;
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      delete from files where project = ${project} and id = ${id} and ${isUnexpired} returning id`.execute(trx);
    return rows.length > 0;
  });
}

const columns = sql`
  id, sha256, media_type as "mediaType", size, filename, purpose,
  floor(extract(epoch from created_at))::double precision as "createdAt",
  floor(extract(epoch from expires_at))::double precision as "expiresAt"`;
