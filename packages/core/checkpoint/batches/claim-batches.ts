import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../id.ts';
import { read } from '../../postgres/read-write.ts';
import { inMs } from '../sql/due.ts';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import { isAwaited } from './is-awaited.ts';

/** An account at a provider that a process can use, and the most requests of one batch there. */
export type BatchAccount = { provider: string; account: string; wire: string; keepsKey: boolean; requests: number };

/** When requests are sent: after the oldest has waited for `waitMs`, or if `size` requests wait. */
export type Claiming = { accounts: readonly BatchAccount[]; waitMs: number; size: number };

/** Requests that may be sent together, as many as `most`. */
type Lane = { provider: string; account: string; model: string; wire: string; keepsKey: boolean; most: number };

/**
 * Gives waiting requests to new batches, which are then due. Several workers may do so at once: each request is in one
 * batch (R43). Returns the number of new batches.
 */
export async function claimBatches(db: Db, { accounts, waitMs, size }: Claiming): Promise<number> {
  let claimed = 0;
  for (const lane of await readyLanes(db, { accounts, waitMs, size })) {
    let isClaimed = true;
    while (isClaimed) {
      isClaimed = await claimBatch(db, lane, waitMs);
      claimed += isClaimed ? 1 : 0;
    }
  }
  return claimed;
}

const LANE = sql`provider, model, wire`;

/** Returns the condition that a waiting request belongs to a lane, of the same columns. */
const isOf = (lane: RawBuilder<unknown>) => sql`batch_id is null
  and (batch_requests.provider, batch_requests.model, batch_requests.wire)
    = (${lane}.provider, ${lane}.model, ${lane}.wire)`;

/** Finds the lanes with an old request or with many requests. The index finds each lane in one step. */
async function readyLanes(db: Db, { accounts, waitMs, size }: Claiming): Promise<Lane[]> {
  const query = sql<Lane>`
    with recursive lane as (
      (select ${LANE} from batch_requests where batch_id is null order by ${LANE} limit 1)
      union all
      select next.* from lane cross join lateral (
        select ${LANE} from batch_requests
        where batch_id is null and (${LANE}) > (lane.provider, lane.model, lane.wire)
        order by ${LANE} limit 1) as next
    )
    select ${LANE}, account, "keepsKey", least(requests, ${size}::int) as most
    from lane join json_to_recordset(${accounts}::json)
        as usable (provider text, account text, wire text, "keepsKey" boolean, requests int)
      using (provider, wire)
    where (select min(entered_at) from batch_requests where ${isOf(sql`lane`)}) <= ${inMs(-waitMs)}
      or exists (
        select from batch_requests where ${isOf(sql`lane`)}
        order by entered_at offset least(requests, ${size}::int) - 1 limit 1)`;
  return await read(db, query);
}

type Candidate = { id: string; isOld: boolean; isAwaited: boolean };

/** Claims the oldest requests of a lane for a batch. Removes requests that no round waits for. */
async function claimBatch(db: Db, lane: Lane, waitMs: number): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    if (!lane.keepsKey && !(await isAlone(trx, lane.account))) return false;
    const candidates = await lockRequests(trx, lane, waitMs);
    const ids = candidates.filter((request) => request.isAwaited).map(({ id }) => id);
    const isReady = ids.length >= lane.most || candidates.some((request) => request.isAwaited && request.isOld);
    await removeLeft(
      trx,
      candidates.filter((request) => !request.isAwaited).map(({ id }) => id),
    );
    if (!isReady) return false;
    await insertBatch(trx, lane, ids);
    return true;
  });
}

/**
 * Returns whether an account has no batch that may not exist yet. A refused batch does not count: it may wait for long.
 * Holds a lock on the account.
 */
async function isAlone(trx: Trx, account: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('pawl.batches ' || ${account}))`.execute(trx);
  const { rows } = await sql`
    select from batches where account = ${account} and (state = 'asked' or (state = 'open' and refusals = 0))
    limit 1`.execute(trx);
  return rows.length === 0;
}

async function lockRequests(trx: Trx, { provider, model, wire, most }: Lane, waitMs: number) {
  const { rows } = await sql<Candidate>`
    select id, entered_at <= ${inMs(-waitMs)} as "isOld", ${isAwaited} as "isAwaited"
    from batch_requests
    where batch_id is null and provider = ${provider} and model = ${model} and wire = ${wire}
    order by entered_at, id limit ${most} for update skip locked`.execute(trx);
  return rows;
}

async function removeLeft(trx: Trx, ids: string[]): Promise<void> {
  if (ids.length > 0) await sql`delete from batch_requests where id in (${listed(ids)})`.execute(trx);
}

async function insertBatch(trx: Trx, { provider, account, model, wire, keepsKey }: Lane, ids: string[]): Promise<void> {
  const id = newId('batch');
  await sql`
    with batch as (
      insert into batches (id, provider, account, model, wire, keeps_key)
      values (${id}, ${provider}, ${account}, ${model}, ${wire}, ${keepsKey})
    )
    update batch_requests set batch_id = ${id} where id in (${listed(ids)})`.execute(trx);
}
