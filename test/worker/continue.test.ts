import { sql } from 'kysely';
import { expect } from 'vitest';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { continuedStep } from '#core/turn/wakeup.ts';
import { dueWakeups } from '#services/worker/lease/stop-run.ts';
import { commitsInForm } from '#test/checkpoint/commits-in-form.ts';
import { CALLING } from '#test/checkpoint/plain-rounds.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import type { Held } from '#test/harness/gate.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const weather = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const twoRounds = { input: scripted({ rounds: [{ tools: [weather] }], answer: 'Sunny.' }), tools: ['weather_lookup'] };

/**
 * Returns a handler that lets its worker continue at the commits for which `may` returns true. Commits count from 1.
 */
function continuing({ handle }: Harness, may: (commit: number) => boolean = () => true): JobHandler {
  let commits = 0;
  return (job) => {
    const mayContinue = () => {
      commits += 1;
      return may(commits);
    };
    return handle({ ...job, mayContinue });
  };
}

/** Runs a turn of two rounds until its worker has continued with the second round, and holds that round. */
async function continueToRound2(harness: Harness): Promise<{ working: Promise<boolean>; held: Held }> {
  const { promise: holding, resolve } = Promise.withResolvers<Held>();
  const hold = (commit: number) => {
    if (commit === 2) resolve(harness.holdModel());
    return true;
  };
  const working = harness.workOnce(continuing(harness, hold));
  const held = await holding;
  await held.reached;
  return { working, held };
}

async function leaseOf({ db }: Harness, turnId: string) {
  const { rows } = await sql`select step, lease_until > now() as leased, lease_until = due_at as is_due_then, starts
    from work where id = ${turnId}`.execute(db);
  return rows[0];
}

describeQueue(({ redis }) => {
  test('a worker that may continue works a turn to its end with a single job', async () => {
    await using harness = await createHarness({ redis });
    const { id } = await harness.startTurn(twoRounds);

    expect(await harness.workOnce(continuing(harness))).toBe(true);

    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Sunny.', round: 2 });
    expect(await harness.workOnce()).toBe(false);
    expect(harness.modelRequests).toHaveLength(2);
  });

  test('a worker that may not continue leaves the next step to the queue', async () => {
    await using harness = await createHarness({ redis });
    const { id } = await harness.startTurn(twoRounds);

    await harness.workOnce(continuing(harness, (commit) => commit !== 2));

    expect(await leaseOf(harness, id)).toEqual({ step: 'r2', leased: null, is_due_then: null, starts: 0 });
    const steps: string[] = [];
    await harness.workOnce(async ({ data }) => void steps.push(data.step));
    expect(steps).toEqual(['r2']);
  });
});

test('a run that continues has the lease of its step before it begins, and renews it', async ({ harness }) => {
  const { id } = await harness.startTurn(twoRounds);

  const { working, held } = await continueToRound2(harness);
  const before = await leaseOf(harness, id);
  await sql`update work set lease_until = now() + interval '1 s' where id = ${id}`.execute(harness.db);
  await harness.worker.heartbeat.beat();
  const { rows } =
    await sql`select lease_until > now() + interval '3 s' as is_renewed from work where id = ${id}`.execute(harness.db);
  held.open();
  await working;
  const { rounds } = await harness.findTurn(id);

  expect(before).toEqual({ step: 'r2', leased: true, is_due_then: true, starts: 1 });
  expect(rows).toEqual([{ is_renewed: true }]);
  expect(rounds.map(({ attempts }) => attempts)).toEqual([1, 1]);
});

test('other jobs of a turn make no request and no write while a run continues', async ({ harness }) => {
  const { id } = await harness.startTurn(twoRounds);

  const { working, held } = await continueToRound2(harness);
  for (const step of ['r1', 'b1', 'r2']) await harness.handle({ name: 'run-round', data: { turnId: id, step } });
  await harness.workUntilIdle();
  const asked = harness.modelRequests.length;
  held.open();
  await working;

  expect(asked).toBe(2);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', usage: { llm_calls: 2 } });
});

test('a run that continues sends an input that joined after the turn was loaded', async ({ harness }) => {
  const { id } = await harness.startTurn(twoRounds);
  const held = harness.holdModel(1);

  const working = harness.workOnce(continuing(harness));
  await held.reached;
  await harness.call('POST', `/v1/turns/${id}/input`, { body: { input: scripted({ answer: 'Rain.' }) } });
  held.open();
  await working;
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', output: 'Rain.', pending_input: [] });
  expect(turn.rounds.map(({ attempts }) => attempts)).toEqual([1, 1]);
});

test('a run that is stopped while its commit runs still continues', async ({ harness }) => {
  const { id } = await harness.startTurn(twoRounds);
  const stop = () => {
    harness.worker.heartbeat.stop('lost', id);
    return true;
  };

  await harness.workOnce(continuing(harness, stop));

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', usage: { llm_calls: 2 } });
});

test('a turn that waits for its client has no lease', async ({ harness }) => {
  const ask = { name: 'ask_device', description: 'Asks the device', execution: { kind: 'client' } };
  const input = scripted({ rounds: [{ tools: [{ name: 'ask_device', arguments: {} }] }], answer: 'Thanks.' });
  const { id } = await harness.startTurn({ input, tools: [ask] });

  await harness.workOnce(continuing(harness));

  expect(await leaseOf(harness, id)).toMatchObject({ step: 'b1', leased: null, starts: 0 });
  expect((await harness.findTurn(id)).status).toBe('requires_action');
});

test('a step runs after its lease ends if its run never began', async ({ harness }) => {
  const { heldWrites } = harness.worker;
  const { id } = await harness.startTurn(twoRounds);
  const block = () => {
    harness.worker.heldWrites = { ...heldWrites, blocks: () => true };
    return true;
  };

  await harness.workOnce(continuing(harness, block));
  harness.worker.heldWrites = heldWrites;
  const left = await leaseOf(harness, id);
  await harness.handle({ name: 'run-tool-batch', data: { turnId: id, step: 'b1', generation: 0 } });
  const untouched = await leaseOf(harness, id);
  await harness.advance(6_001);
  expect(await harness.rescue()).toBe(1);
  await harness.workUntilIdle();

  expect(left).toEqual({ step: 'b1', leased: true, is_due_then: true, starts: 1 });
  expect(untouched).toEqual(left);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Sunny.', usage: { llm_calls: 2 } });
});

test('a worker continues as decided if its commit succeeded but the answer was lost', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi', tools: ['weather_lookup'] });
  const turn = (await beginTurn(harness.db, id, 'first'))!;
  await commitsInForm(harness.db, 'lean').saveReply(turn, { ...CALLING, nextRuns: { batch: 'next', round: null } });

  const own = await dueWakeups({ turn, nextRun: 'next' }, harness.worker);
  const foreign = await dueWakeups({ turn, nextRun: 'another' }, harness.worker);

  expect(own).toMatchObject([{ step: 'b1', nextRun: 'next' }]);
  expect(continuedStep(foreign)).toBeUndefined();
});
