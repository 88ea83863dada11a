import { sql } from 'kysely';
import { test as base } from 'vitest';
import { askBatch } from '#core/checkpoint/batches/ask-batch.ts';
import { type BatchAccount, claimBatches } from '#core/checkpoint/batches/claim-batches.ts';
import { confirmBatch } from '#core/checkpoint/batches/confirm-batch.ts';
import { type EnteringRound, enterBatch } from '#core/checkpoint/batches/enter-batch.ts';
import {
  type BatchDelay,
  markCancelled,
  type OwnBatch,
  postponeBatch,
} from '#core/checkpoint/batches/postpone-batch.ts';
import { readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { type TakenBatch, takeBatches } from '#core/checkpoint/batches/take-batches.ts';
import { connect } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { newId } from '#core/id.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { ageBatches } from '#test/harness/age-batches.ts';
import { opening } from '#test/harness/opening.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

/** The account of the requests in these tests. */
export const ACCOUNT: BatchAccount = {
  ...{ provider: 'openai', account: 'account-1', wire: 'openai', keepsKey: true, requests: 50_000 },
};
const MODEL = plainConfig.model;

/** A turn with a round that waits for a request of a batch. */
export type Entered = { turnId: string; runId: string; requestId: string };

type Entering = Partial<EnteringRound> & { limits?: Partial<TurnConfig['limits']>; slot?: string | null };

/** Opens a database by two pools, like two workers, with the verbs of batches. */
export async function openBatches() {
  const url = await createTestDatabase();
  const [one, other] = [connect(url), connect(url)];
  const { db } = one;
  const claim = (own: Partial<BatchAccount> = {}, by: Db = db, { waitMs = 0, size = 500 } = {}) =>
    claimBatches(by, { accounts: [{ ...ACCOUNT, ...own }], waitMs, size });
  const take = (owner: string = newId('evt'), by: Db = db) => takeBatches(by, { owner, limit: 10, leaseMs: 60_000 });
  const claimOne = async (): Promise<OwnedBatch> => {
    await claim();
    return { owner: 'own', batch: (await take('own'))[0]! };
  };
  const askOne = async (): Promise<OwnedBatch> => {
    const claimed = await claimOne();
    const sent = (await readRequests(db, claimed.batch.id)).map(({ id }) => id);
    await askBatch(db, { id: claimed.batch.id, owner: claimed.owner, sent, left: [] });
    return claimed;
  };

  return {
    ...{ url, db, otherDb: other.db, claim, take, claimOne, askOne },
    lease: (own?: Entering) => leaseTurn(db, own),
    enter: (own?: Entering) => enter(db, own),
    /** Sends all waiting requests as a batch, and takes it again. */
    sendOne: async (): Promise<OwnedBatch> => {
      const { owner, batch } = await askOne();
      await confirmBatch(db, { id: batch.id, owner, providerId: 'batch_of_provider', files: ['file_1'], delayMs: -1 });
      return { owner: 'own', batch: (await take('own'))[0]! };
    },
    /** Lets time pass for batches, and for the turns that wait for them. */
    age: async (ms: number) => {
      await ageBatches(db, ms);
      await sql`update work set due_at = due_at - ${ms}::double precision * interval '1 millisecond'
        where background is not null`.execute(db);
    },
    postpone: (delay: BatchDelay) => postponeBatch(db, delay),
    markCancelled: (batch: OwnBatch) => markCancelled(db, batch),
    cancel: (turnId: string) => db.transaction().execute((trx) => cancelTurn(trx, 'default', turnId)),
    requests: () => rowsOf<RequestRow>(db, sql`select id, turn_id, state, batch_id from batch_requests order by id`),
    batches: () => rowsOf<BatchRow>(db, sql`select id, state, owner, refusals from batches order by id`),
    work: async (turnId: string) =>
      (
        await rowsOf<WorkRow>(
          db,
          sql`select *, due_at = 'infinity' as never, due_at < now() + interval '10 seconds' as soon
        from work where id = ${turnId}`,
        )
      )[0]!,
    usage: () =>
      rowsOf<{ rounds: number; output_tokens: number; cost_usd: number }>(
        db,
        sql`select rounds::int, output_tokens::int, cost_usd::double precision from usage_records
        where output_tokens > 0 order by output_tokens`,
      ),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.close(), other.close()]);
    },
  };
}

/** A test that can use the verbs of batches on its own database. */
export const test = base.extend('opened', opening(openBatches));

/** A batch with its owner. */
export type OwnedBatch = { owner: string; batch: TakenBatch };

type RequestRow = { id: string; turn_id: string; state: string; batch_id: string | null };
type BatchRow = { id: string; state: string; owner: string | null; refusals: number };
type WorkRow = { slot: string | null; generation: number; lease_owner: string | null; never: boolean; soon: boolean };

async function rowsOf<Row>(db: Db, query: ReturnType<typeof sql>): Promise<Row[]> {
  const { rows } = await query.execute(db);
  return rows as Row[];
}

async function leaseTurn(db: Db, { limits = {}, slot = null }: Entering = {}) {
  const { id } = await createFirstTurn(
    db,
    {
      ...{ id: newId('turn'), conversationId: newId('conv'), project: 'default', priority: 0, metadata: {} },
      ...{ config: { ...plainConfig, limits: { ...plainConfig.limits, ...limits } } },
      input: [{ role: 'user', content: 'Hi' }],
    },
    { config: { model: MODEL }, metadata: {} },
  );
  const runId = newId('evt');
  await sql`update work set slot = ${slot} where id = ${id}`.execute(db);
  await beginTurn(db, id, runId);
  return { turnId: id, runId };
}

/** Lets the round of a new turn wait for a request of a batch. */
async function enter(db: Db, { limits, slot, ...own }: Entering = {}): Promise<Entered> {
  const leased = await leaseTurn(db, { ...(limits && { limits }), ...(slot !== undefined && { slot }) });
  const requestId = newId('req');
  const round = { ...plainRound(leased, [requestId]), ...own };
  if (!(await enterBatch(db, round))) throw new Error('The round did not enter a batch.');
  return { ...leased, requestId: round.requestIds.at(-1)! };
}

/** Returns the first round of a leased turn. */
export function plainRound(leased: { turnId: string; runId: string }, requestIds: string[]): EnteringRound {
  const { provider, wire } = ACCOUNT;
  return {
    ...leased,
    ...{ step: 'r1', model: MODEL, generation: 0, draft: 0, requests: 0, project: 'default', requestIds },
    ...{ provider, wire, inputs: 0, delayMs: null, isNew: true },
  };
}

/** Returns an answer with a text, and its usage. */
export function answered(id: string, output_tokens = 5) {
  const tokens = { input_tokens: 1, output_tokens, total_tokens: output_tokens + 1, cached_input_tokens: 0 };
  return {
    id,
    answer: { kind: 'answered' as const, status: 200, text: `The answer to ${id}.` },
    usage: { ...tokens, cache_write_tokens: 0, reasoning_tokens: 0, cost_usd: 0.5 },
  };
}
