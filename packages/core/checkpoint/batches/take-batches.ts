import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';
import { isAwaited } from './is-awaited.ts';

/** A batch that a worker has taken: to send it, to look at it, or to delete it at its provider. */
export type TakenBatch = {
  id: string;
  provider: string;
  account: string;
  /** The model of its requests, as `provider/model`. */
  model: string;
  wire: string;
  state: 'open' | 'asked' | 'sent' | 'collected';
  /** The provider's id of the batch, and of the files that Pawl has uploaded for it. */
  providerId: string | null;
  files: string[];
  /** How many requests were sent, or null before. */
  requests: number | null;
  createdAt: Date;
  /** The time of the commit before it was sent. */
  askedAt: Date | null;
  /** The milliseconds since it was asked, sent, first refused, and since all its answers are stored. */
  askedMs: number | null;
  sentMs: number | null;
  refusedMs: number | null;
  endedMs: number | null;
  refusals: number;
  refusalCode: string | null;
  polls: number;
  lostReads: number;
  /** True if Pawl has asked its provider to stop it. */
  isCancelled: boolean;
  /** True if a round waits for one of its requests that has no answer. */
  isAwaited: boolean;
};

/**
 * The owner is new for each call, so that a slow worker does not write after another worker has taken its batch. No
 * batch of the providers in `except` is taken.
 */
export type Taking = { owner: string; limit: number; leaseMs: number; except?: readonly string[] };

/** The condition that a round waits for a batch. `offset 0` keeps PostgreSQL from comparing all requests. */
const isBatchAwaited = sql<boolean>`exists (
  select from batch_requests where batch_id = batches.id and state in ('waiting', 'sent') and ${isAwaited} offset 0)`;

/** The condition that a batch waits for another of its account, which may not exist yet. */
const waitsForOther = sql<boolean>`(state = 'open' and not keeps_key and exists (
  select from batches as other where other.account = batches.account and other.state = 'asked' offset 0))`;

/** The condition that no round waits for a batch that its provider works on. It is then to be cancelled, once (R44). */
const isToCancel = sql<boolean>`(state = 'sent' and cancelled_at is null and owner is null and not ${isBatchAwaited})`;

const msSince = (column: string) => sql`(extract(epoch from now() - ${sql.ref(column)}) * 1000)::double precision`;

/** Takes batches that are due, and sent batches that no round waits for any more. Each is for one worker at a time. */
export async function takeBatches(db: Db, taking: Taking): Promise<TakenBatch[]> {
  const { owner, limit, leaseMs, except = [] } = taking;
  const statement = sql<TakenBatch>`
    with due as materialized (
      select id from batches
      where ((due_at < now() and not ${waitsForOther}) or ${isToCancel}) and not ${except}::jsonb ? provider
      order by due_at limit ${limit} for update skip locked
    )
    update batches set owner = ${owner}, due_at = ${inMs(leaseMs)} from due where batches.id = due.id
    returning batches.id, provider, account, model, wire, state, provider_id as "providerId", files, requests,
      created_at as "createdAt", asked_at as "askedAt", ${msSince('asked_at')} as "askedMs",
      ${msSince('sent_at')} as "sentMs", ${msSince('refused_since')} as "refusedMs",
      ${msSince('ended_at')} as "endedMs", refusals, refusal_code as "refusalCode", polls, lost_reads as "lostReads",
      cancelled_at is not null as "isCancelled", ${isBatchAwaited} as "isAwaited"`;
  return await write(db, statement);
}
