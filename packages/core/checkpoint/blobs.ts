import { sql } from 'kysely';
import { read } from '../postgres/read-write.ts';
import type { NewBlob } from '../turn/parts/take-inline.ts';
import { isUnexpired } from './sql/unexpired.ts';
import { isVisible } from './sql/visible.ts';
import type { Db, Trx } from './tables.ts';

/** The SHA-256 of each blob that a turn refers to, and the bytes of blobs that may be new. */
export type ReferredBlobs = { project: string; turnId: string; hashes: readonly string[]; blobs: readonly NewBlob[] };

/**
 * Keeps the blobs that a turn refers to until the turn is erased, and adds new blobs. Commits together with the row
 * that names them. Locks blobs in one order, after the turn. Returns the hashes of missing blobs: the caller must
 * then roll back.
 */
export async function keepBlobs(trx: Trx, { project, turnId, hashes, blobs }: ReferredBlobs): Promise<string[]> {
  const bytes = new Map(blobs.map((blob) => [blob.sha256, blob]));
  const missing: string[] = [];
  for (const sha256 of [...new Set(hashes)].sort()) {
    const blob = bytes.get(sha256);
    if (blob) await insertBlob(trx, project, blob);
    else if (!(await lockBlob(trx, project, sha256))) missing.push(sha256);
  }
  if (missing.length > 0 || hashes.length === 0) return missing;
  await sql`
    insert into blob_references (project, sha256, turn_id)
    select ${project}, value, ${turnId} from json_array_elements_text(${[...new Set(hashes)]}::json)
    on conflict do nothing`.execute(trx);
  return [];
}

/** Adds a blob. Only locks an equal blob that exists: a delete of that blob has committed before, or waits. */
export async function insertBlob(trx: Trx, project: string, { sha256, mediaType, bytes }: NewBlob): Promise<void> {
  await sql`
    insert into blobs (project, sha256, media_type, bytes) values (${project}, ${sha256}, ${mediaType}, ${bytes})
    on conflict (project, sha256) do update set media_type = excluded.media_type where false`.execute(trx);
}

async function lockBlob(trx: Trx, project: string, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    select sha256 from blobs where project = ${project} and sha256 = ${sha256} for key share`.execute(trx);
  return rows.length > 0;
}

export async function findHashes(db: Db, turnId: string): Promise<string[]> {
  const query = sql<{ sha256: string }>`select sha256 from blob_references where turn_id = ${turnId}`;
  return (await read(db, query)).map(({ sha256 }) => sha256);
}

/** Returns the first media type of each blob that callers of a project find, by SHA-256. Leaves out other hashes. */
export async function findBlobTypes(db: Db, project: string, hashes: readonly string[]): Promise<Map<string, string>> {
  const query = sql<{ sha256: string; mediaType: string }>`
    select sha256, media_type as "mediaType" from blobs
    where project = ${project} and sha256 in (select value from json_array_elements_text(${hashes}::json))
      and ${isVisibleBlob}`;
  const rows = await read(db, query);
  return new Map(rows.map(({ sha256, mediaType }) => [sha256, mediaType]));
}

/** Finds a blob for callers of a project, without its bytes. `size` is in bytes. */
export async function findBlob(
  db: Db,
  project: string,
  sha256: string,
): Promise<{ mediaType: string; size: number } | undefined> {
  const query = sql<{ mediaType: string; size: number }>`
    select media_type as "mediaType", octet_length(bytes) as size from blobs
    where project = ${project} and sha256 = ${sha256} and ${isVisibleBlob}`;
  const rows = await read(db, query);
  return rows[0];
}

/** Reads up to `length` bytes of a blob after its first `start` bytes. Returns undefined if the blob was erased. */
export async function readBlobPiece(
  db: Db,
  { project, sha256, start, length }: { project: string; sha256: string; start: number; length: number },
): Promise<Buffer | undefined> {
  const query = sql<{ piece: Buffer }>`
    select substring(bytes from ${start + 1}::int for ${length}::int) as piece from blobs
    where project = ${project} and sha256 = ${sha256}`;
  const rows = await read(db, query);
  return rows[0]?.piece;
}

/**
 * Loads blobs in one statement, including blobs that no caller finds. Leaves out erased blobs. Returns no bytes if
 * the blobs together exceed `most` bytes.
 */
export async function loadBlobs(
  db: Db,
  project: string,
  { hashes, most }: { hashes: readonly string[]; most: number },
): Promise<{ sha256: string; size: number; bytes: Buffer | null }[]> {
  const query = sql<{ sha256: string; size: number; bytes: Buffer | null }>`
    select sha256, size, case when sum(size) over () <= ${most}::bigint then bytes end as bytes from (
      select sha256, bytes, octet_length(bytes) as size from blobs
      where project = ${project} and sha256 in (select value from json_array_elements_text(${hashes}::json))) as wanted`;
  return read(db, query);
}

/** The condition that callers find a blob: not if only deleted turns refer to it, although a fork may keep it. */
const isVisibleBlob = sql<boolean>`(
  exists (
    select from blob_references as reference join turns on turns.id = turn_id
    where reference.project = blobs.project and reference.sha256 = blobs.sha256 and ${isVisible})
  or exists (
    select from files where files.project = blobs.project and files.sha256 = blobs.sha256 and ${isUnexpired}))`;
