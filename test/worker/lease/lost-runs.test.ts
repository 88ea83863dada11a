import { expect } from 'vitest';
import { claimCalls } from '#core/checkpoint/turns/claim-calls.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const LEASE_MS = 6_000;
const once = { name: 'do_once', arguments: { city: 'Tokyo' }, id: 'call_once' };
const input = scripted({ rounds: [{ tools: [once] }], answer: 'It says: {{results}}' });

/** Starts a turn and commits its first round. Its batch is due, and no tool has run yet. */
async function startBatch(harness: Harness, url: string, effect: string): Promise<string> {
  const { id } = await harness.startTurn({ input, tools: [httpTool('do_once', url, { effect })] });
  await harness.workOnce();
  return id;
}

/** Lets the run's lease pass without a heartbeat, and enqueues the turn again. */
async function loseRun(harness: Harness): Promise<void> {
  await harness.advance(LEASE_MS + 1_000);
  expect(await harness.rescue()).toBe(1);
}

test('the claim of a dead run becomes outcome_unknown, and the tool never runs', async ({ harness }) => {
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

test('no other run touches a claimed call while the run that claimed it may be alive', async ({ harness }) => {
  await using tool = await openExternalServer();
  const turnId = await startBatch(harness, tool.url, 'at_most_once');

  await claimCalls(harness.db, { turnId, round: 1, runId: 'alive', indexes: [0] });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(turnId);

  expect(turn.status).toBe('in_progress');
  expect(turn.rounds[0]?.results).toMatchObject([{ status: 'running', error: null }]);
  expect(tool.caught).toHaveLength(0);
});

test('an at_most_once call of a lost run is not repeated, and its late answer dropped', async ({ harness }) => {
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

test('an idempotent call of a lost run is repeated with the same key', async ({ harness }) => {
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

test('one run makes a call that a lost run claimed and did not make, despite many jobs', async ({ harness }) => {
  await using tool = await openExternalServer();
  const turnId = await startBatch(harness, tool.url, 'at_most_once');
  const job = { name: 'run-tool-batch' as const, data: { turnId, step: 'b1' } };

  await Promise.all(Array.from({ length: 5 }, () => harness.handle(job)));
  await harness.workUntilIdle();

  expect(tool.caught).toHaveLength(1);
  expect((await harness.findTurn(turnId)).output).toBe('It says: ok');
});

test.for([
  [
    'a run that has lost its turn writes neither a retry nor an end for its failed call',
    scripted({ answer: 'Hello.', final: { fault: { kind: 'status', status: 401, times: 1 } } }),
    { status: 'completed', output: 'Hello.', error: null },
  ],
  [
    'the first of two replies to a round is kept, and the late reply is dropped',
    scripted({ answer: 'Take your time.' }),
    { status: 'completed', output: 'Take your time.', usage: { llm_calls: 1 } },
  ],
] as const)('%s', async ([, input, ended], { harness }) => {
  const { id } = await harness.startTurn({ input });
  const held = harness.holdModel();

  const lostRun = harness.workOnce();
  await held.reached;
  await loseRun(harness);
  const other = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(2));
  held.open();
  await Promise.all([lostRun, other]);
  await harness.workUntilIdle();

  expect(harness.modelRequests).toHaveLength(2);
  expect(await harness.findTurn(id)).toMatchObject(ended);
  expect((await harness.listEvents(id)).map(({ type }) => type)).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'turn.completed'],
  ]);
});

test('a job does not touch a turn that another run has leased, until the lease ends', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  expect(await takeLease(harness.db, (await loadTurn(harness.db, id))!, 'another')).not.toBeNull();
  await harness.workUntilIdle();
  const whileLeased = harness.modelRequests.length;
  await loseRun(harness);
  await harness.workUntilIdle();

  expect(whileLeased).toBe(0);
  expect((await harness.findTurn(id)).status).toBe('completed');
});

test('a turn with ten runs that die silently fails as poison', async ({ harness }) => {
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
