import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { claimBatches } from '#core/checkpoint/batches/claim-batches.ts';
import { saveAnswers } from '#core/checkpoint/batches/save-answers.ts';
import { settleAnswers } from '#core/checkpoint/batches/settle-answers.ts';
import { takeBatches } from '#core/checkpoint/batches/take-batches.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from '../looks.ts';
import { ACCOUNT, answered } from './open-batches.ts';

const MANY = 10_000;
const SIZE = 500;

const digits = sql`lpad(n::text, 5, '0')`;
const requestOf = (n: number) => `req_${String(n).padStart(5, '0')}`;

/** Fills a database with turns that wait for their requests: in sent batches, or in no batch yet. */
async function fillWaiting({ isSent, isAnalysed }: { isSent: boolean; isAnalysed: boolean }): Promise<string> {
  const url = await createTestDatabase();
  await withDatabase(url, async (db) => {
    await addWork(db);
    await addRequests(db, isSent);
    if (isSent) await addBatches(db);
    if (isAnalysed) await sql`analyze`.execute(db);
  });
  return url;
}

async function addWork(db: Db): Promise<void> {
  await sql`
    insert into work (id, project, conversation_id, position, priority, stored, at_head, provider, model, due_at,
      status, started_at, background)
    select 'turn_' || ${digits}, 'default', 'conv_' || n, 1, 0, true, true, 'openai', 'openai/test', 'infinity',
      'in_progress', now(), jsonb_build_object('step', 'r1', 'model', 'openai/test', 'batch', true,
        'responses', jsonb_build_array('req_' || ${digits}))
    from generate_series(1, ${MANY}) as n`.execute(db);
}

async function addRequests(db: Db, isSent: boolean): Promise<void> {
  const { provider, wire } = ACCOUNT;
  await sql`
    insert into batch_requests (id, turn_id, project, step, model, provider, wire, state, batch_id)
    select 'req_' || ${digits}, 'turn_' || ${digits}, 'default', 'r1', 'openai/test', ${provider}, ${wire},
      case when ${isSent} then 'sent' else 'waiting' end, case when ${isSent} then 'batch_' || (n / ${SIZE}::int) end
    from generate_series(1, ${MANY}) as n`.execute(db);
}

async function addBatches(db: Db): Promise<void> {
  await sql`
    insert into batches (id, provider, account, model, wire, keeps_key, state, provider_id, requests, asked_at, sent_at,
      due_at)
    select 'batch_' || n, 'openai', 'account', 'openai/test', 'openai', true, 'sent', 'batch', ${SIZE}::int, now(),
      now(), now() + interval '1 hour'
    from generate_series(0, ${MANY / SIZE}) as n`.execute(db);
}

const waiting = { accounts: [ACCOUNT], waitMs: 3_600_000, size: MANY + 1 };

/** Looks for work as each worker does it every two seconds. Returns the amount of work. */
async function look(db: Db): Promise<number> {
  const claimed = await claimBatches(db, waiting);
  const taken = await takeBatches(db, { owner: 'own', limit: 10, leaseMs: 1_000 });
  const settled = await settleAnswers(db, 100);
  return claimed + taken.length + settled.length;
}

test.each([
  { isSent: true, isAnalysed: false, most: 200 },
  { isSent: true, isAnalysed: true, most: 200 },
  { isSent: false, isAnalysed: false, most: MANY + 200 },
  { isSent: false, isAnalysed: true, most: MANY + 200 },
])('a look at 10,000 rounds in batches reads few rows: %o', async ({ most, ...filled }) => {
  const url = await fillWaiting(filled);
  let found = -1;

  const looks = await looksOf(url, async (db) => {
    found = await look(db);
  });

  expect(found).toBe(0);
  expect(looks).toBeLessThan(most);
});

test.each([true, false])('10,000 requests are claimed with a few reads for each, analysed: %s', async (isAnalysed) => {
  const url = await fillWaiting({ isSent: false, isAnalysed });
  let claimed = 0;

  const looks = await looksOf(url, async (db) => {
    claimed = await claimBatches(db, { ...waiting, waitMs: 0, size: SIZE });
  });

  expect(claimed).toBe(MANY / SIZE);
  expect(looks).toBeLessThan(30 * MANY);
});

test.each([true, false])('500 of 10,000 answers are stored with a few reads, analysed: %s', async (isAnalysed) => {
  const url = await fillWaiting({ isSent: true, isAnalysed });
  const answers = Array.from({ length: SIZE }, (_, n) => answered(requestOf(n + 1)));
  let woken = 0;

  const looks = await looksOf(url, async (db) => {
    woken = (await saveAnswers(db, answers)).wakeups.length;
  });

  expect(woken).toBe(SIZE);
  expect(looks).toBeLessThan(20 * SIZE);
});
