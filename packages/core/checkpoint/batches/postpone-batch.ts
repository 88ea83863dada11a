import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';

/** A batch that a worker has taken. Another worker may have taken it since, as another owner. */
export type OwnBatch = { id: string; owner: string };

/** Keeps a batch for its owner. Returns false if the owner has lost it. */
export async function renewBatch(db: Db, { id, owner, leaseMs }: OwnBatch & { leaseMs: number }): Promise<boolean> {
  const statement = sql`
    update batches set due_at = ${inMs(leaseMs)} where id = ${id} and owner = ${owner} returning id`;
  return (await write(db, statement)).length > 0;
}

/** The next look at a batch, with its counts if they change. */
export type BatchDelay = OwnBatch & { delayMs: number; polls?: number; lostReads?: number };

/** Releases a batch until its next look. Returns false if the owner has lost it. */
export async function postponeBatch(db: Db, { id, owner, delayMs, polls, lostReads }: BatchDelay): Promise<boolean> {
  const statement = sql`
    update batches set owner = null, due_at = ${inMs(delayMs)}, polls = coalesce(${polls ?? null}::int, polls),
      lost_reads = coalesce(${lostReads ?? null}::int, lost_reads)
    where id = ${id} and owner = ${owner} returning id`;
  return (await write(db, statement)).length > 0;
}

/** Notes that a worker has asked the provider of a batch to cancel it, so that no worker asks again. */
export async function markCancelled(db: Db, { id, owner }: OwnBatch): Promise<boolean> {
  const statement = sql`
    update batches set cancelled_at = now()
    where id = ${id} and owner = ${owner} and cancelled_at is null returning id`;
  return (await write(db, statement)).length > 0;
}
