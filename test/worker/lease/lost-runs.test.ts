import { expect, test } from 'vitest';
import { claimCalls } from '#core/checkpoint/turns/claim-calls.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const LEASE_MS = 6_000;
const once = { name: 'do_once', arguments: { city: 'Tokyo' }, id: 'call_once' };
const input = scripted({ rounds: [{ tools: [once] }], answer: 'It says: {{results}}' });
const typesOf = (events: Record<string, unknown>[]) => events.map(({ type }) => type);

/** A turn whose first round is committed: its batch is due, and no tool has been called yet. */
async function startBatch(harness: Harness, url: string, effect: string): Promise<string> {
  const { id } = await harness.startTurn({ input, tools: [httpTool('do_once', url, { effect })] });
  await harness.workOnce();
  return id;
}

/** The run on the turn is silent for longer than a lease, and the turn is enqueued again. */
async function loseRun(harness: Harness): Promise<void> {
  await harness.advance(LEASE_MS + 1_000);
  expect(await harness.rescue()).toBe(1);
}

test('a claim that a dead run left behind becomes outcome_unknown, and the tool is never called', async () => {
  await using harness = await createHarness();
  await using tool = await openExternalServer();
  const turnId = await startBatch(harness, tool.url, 'at_most_once');

  expect(await claimCalls(harness.db, { turnId, round: 1, runId: 'dead', indexes: [0] })).toEqual([0]);
  await loseRun(harness);
  await harness.workUntilIdle();
  const turn = await harness.findTurn(turnId);

  expect(tool.caught).toHaveLength(0);
  expect(turn.status).toBe('completed');
  expect(turn.rounds[0]?.results).toMatchObject([{ status: 'error', error: { category: 'outcome_unknown' } }]);
  expect(turn.output).toContain('Tool execution failed (outcome_unknown)');
});

test('as long as the run that claimed a call may be alive, no other run touches it', async () => {
  await using harness = await createHarness();
  await using tool = await openExternalServer();
  const turnId = await startBatch(harness, tool.url, 'at_most_once');

  await claimCalls(harness.db, { turnId, round: 1, runId: 'alive', indexes: [0] });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(turnId);

  expect(turn.status).toBe('in_progress');
  expect(turn.rounds[0]?.results).toMatchObject([{ status: 'running', error: null }]);
  expect(tool.caught).toHaveLength(0);
});

test('an at_most_once call of a lost run is not made again, and its late answer is dropped', async () => {
  await using harness = await createHarness();
  await using tool = await openExternalServer(() => null);
  const turnId = await startBatch(harness, tool.url, 'at_most_once');

  const lostRun = harness.workOnce();
  const call = await tool.arrival(1);
  await loseRun(harness);
  await harness.workUntilIdle();
  const before = await harness.findTurn(turnId);
  call.answer({ status: 200, body: 'too late' });
  await lostRun;
  await harness.workUntilIdle();

  expect(tool.caught).toHaveLength(1);
  expect(before).toMatchObject({
    status: 'completed',
    rounds: [{ results: [{ error: { category: 'outcome_unknown' } }] }, {}],
  });
  expect(await harness.findTurn(turnId)).toEqual(before);
});

test('an idempotent call of a run that was lost in the middle is made again with the same key', async () => {
  await using harness = await createHarness();
  await using tool = await openExternalServer((number) => (number === 1 ? null : { status: 200, body: 'done' }));
  const turnId = await startBatch(harness, tool.url, 'idempotent');

  const lostRun = harness.workOnce();
  const call = await tool.arrival(1);
  await loseRun(harness);
  await harness.workUntilIdle();
  const before = await harness.findTurn(turnId);
  call.answer({ status: 200, body: 'too late' });
  await lostRun;

  expect(tool.caught.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(2).fill(`${turnId}.1.call_once`));
  expect(before).toMatchObject({ status: 'completed', output: 'It says: done' });
  expect(await harness.findTurn(turnId)).toEqual(before);
});

test('a call that was claimed and not made by a lost run goes to one run only, however many jobs there are', async () => {
  await using harness = await createHarness();
  await using tool = await openExternalServer();
  const turnId = await startBatch(harness, tool.url, 'at_most_once');
  const job = { name: 'run-tool-batch' as const, data: { turnId, step: 'b1' } };

  await Promise.all(Array.from({ length: 5 }, () => harness.handle(job)));
  await harness.workUntilIdle();

  expect(tool.caught).toHaveLength(1);
  expect((await harness.findTurn(turnId)).output).toBe('It says: ok');
});

test('a run that has lost its turn writes nothing negative: its failed call is no retry and no end', async () => {
  await using harness = await createHarness();
  const fault = { kind: 'status' as const, status: 401, times: 1 };
  const { id } = await harness.startTurn({ input: scripted({ answer: 'Hello.', final: { fault } }) });
  const held = harness.holdModel();

  const lostRun = harness.workOnce();
  await polled(harness, id, ({ status }) => status === 'in_progress');
  await loseRun(harness);
  const other = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(2));
  held.open();
  await Promise.all([lostRun, other]);
  await harness.workUntilIdle();

  expect(harness.modelRequests).toHaveLength(2);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Hello.', error: null });
  expect(typesOf(await harness.listEvents(id))).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'turn.completed'],
  ]);
});

test('of two replies to one round the first is kept and the late one is dropped', async () => {
  await using harness = await createHarness();
  const { id } = await harness.startTurn({ input: scripted({ answer: 'Take your time.' }) });
  const held = harness.holdModel();

  const lostRun = harness.workOnce();
  await polled(harness, id, ({ status }) => status === 'in_progress');
  await loseRun(harness);
  const other = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(2));
  held.open();
  await Promise.all([lostRun, other]);
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);

  expect(harness.modelRequests).toHaveLength(2);
  expect(turn).toMatchObject({ status: 'completed', output: 'Take your time.', usage: { llm_calls: 1 } });
  expect(typesOf(await harness.listEvents(id))).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'turn.completed'],
  ]);
});

test('a turn that another run has leased is left alone until the lease lapses', async () => {
  await using harness = await createHarness();
  const { id } = await harness.startTurn({ input: 'Hi' });

  expect(await takeLease(harness.db, (await loadTurn(harness.db, id))!, 'another')).not.toBeNull();
  await harness.workUntilIdle();
  const whileLeased = harness.modelRequests.length;
  await loseRun(harness);
  await harness.workUntilIdle();

  expect(whileLeased).toBe(0);
  expect((await harness.findTurn(id)).status).toBe('completed');
});

test('a turn with runs that all die silently fails as poison, after ten of them', async () => {
  await using harness = await createHarness();
  const { id } = await harness.startTurn({ input: 'Hi' });

  for (let run = 1; run <= 10; run += 1) {
    expect(await takeLease(harness.db, (await loadTurn(harness.db, id))!, `dead ${run}`)).not.toBeNull();
    await harness.advance(120_000);
  }
  await harness.rescue();
  await harness.workUntilIdle();

  expect(harness.modelRequests).toHaveLength(0);
  expect(await harness.findTurn(id)).toMatchObject({
    status: 'failed',
    error: { type: 'internal_error', code: 'poison_turn' },
  });
});

/** The turn as soon as it matches, by long poll. */
async function polled(harness: Harness, id: string, isEnough: (turn: TurnResource) => boolean): Promise<TurnResource> {
  let turn = await harness.findTurn(id);
  while (!isEnough(turn)) {
    turn = (await harness.call<TurnResource>('GET', `/v1/turns/${id}?wait=20&after=${turn.last_event}`)).body;
  }
  return turn;
}
