import { expect, test } from 'vitest';
import { claimCalls } from '#core/checkpoint/claim-calls.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { takeHold } from '#core/checkpoint/take-hold.ts';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { httpTool } from '#test/world/http-tool.ts';
import { scripted } from '#test/world/scripted.ts';
import { openStranger } from '#test/world/stranger.ts';

const LEASE_MS = 6_000;
const once = { name: 'do_once', arguments: { city: 'Tokyo' }, id: 'call_once' };
const input = scripted({ rounds: [{ tools: [once] }], answer: 'It says: {{results}}' });
const typesOf = (events: Record<string, unknown>[]) => events.map(({ type }) => type);

/** A turn whose first round is committed: its batch is owed, and no tool has been called yet. */
async function startBatch(world: World, url: string, effect: string): Promise<string> {
  const { id } = await world.startTurn({ input, tools: [httpTool('do_once', url, { effect })] });
  await world.workOnce();
  return id;
}

/** The run that is on the turn is not heard of for longer than a lease, and the turn is rung again. */
async function loseRun(world: World): Promise<void> {
  await world.advance(LEASE_MS + 1_000);
  expect(await world.rescue()).toBe(1);
}

test('a claim that a dead run left behind becomes outcome_unknown, and the tool is never called', async () => {
  await using world = await createWorld();
  await using tool = await openStranger();
  const turnId = await startBatch(world, tool.url, 'at_most_once');

  expect(await claimCalls(world.db, { turnId, round: 1, runId: 'dead', indexes: [0] })).toEqual([0]);
  await loseRun(world);
  await world.workUntilIdle();
  const turn = await world.findTurn(turnId);

  expect(tool.caught).toHaveLength(0);
  expect(turn.status).toBe('completed');
  expect(turn.rounds[0]?.results).toMatchObject([{ status: 'error', error: { category: 'outcome_unknown' } }]);
  expect(turn.output).toContain('Tool execution failed (outcome_unknown)');
});

test('as long as the run that claimed a call may be alive, nobody touches it', async () => {
  await using world = await createWorld();
  await using tool = await openStranger();
  const turnId = await startBatch(world, tool.url, 'at_most_once');

  await claimCalls(world.db, { turnId, round: 1, runId: 'alive', indexes: [0] });
  await world.workUntilIdle();
  const turn = await world.findTurn(turnId);

  expect(turn.status).toBe('in_progress');
  expect(turn.rounds[0]?.results).toMatchObject([{ status: 'running', error: null }]);
  expect(tool.caught).toHaveLength(0);
});

test('an at_most_once call whose run was lost is not made again, and its late answer is dropped', async () => {
  await using world = await createWorld();
  await using tool = await openStranger(() => null);
  const turnId = await startBatch(world, tool.url, 'at_most_once');

  const lostRun = world.workOnce();
  const call = await tool.arrival(1);
  await loseRun(world);
  await world.workUntilIdle();
  const before = await world.findTurn(turnId);
  call.answer({ status: 200, body: 'too late' });
  await lostRun;
  await world.workUntilIdle();

  expect(tool.caught).toHaveLength(1);
  expect(before).toMatchObject({
    status: 'completed',
    rounds: [{ results: [{ error: { category: 'outcome_unknown' } }] }, {}],
  });
  expect(await world.findTurn(turnId)).toEqual(before);
});

test('an idempotent call whose run was lost in the middle is made again with the same key', async () => {
  await using world = await createWorld();
  await using tool = await openStranger((number) => (number === 1 ? null : { status: 200, body: 'done' }));
  const turnId = await startBatch(world, tool.url, 'idempotent');

  const lostRun = world.workOnce();
  const call = await tool.arrival(1);
  await loseRun(world);
  await world.workUntilIdle();
  const before = await world.findTurn(turnId);
  call.answer({ status: 200, body: 'too late' });
  await lostRun;

  expect(tool.caught.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(2).fill(`${turnId}.1.call_once`));
  expect(before).toMatchObject({ status: 'completed', output: 'It says: done' });
  expect(await world.findTurn(turnId)).toEqual(before);
});

test('a call whose claim was lost before it was made goes to one run only, however many jobs there are', async () => {
  await using world = await createWorld();
  await using tool = await openStranger();
  const turnId = await startBatch(world, tool.url, 'at_most_once');
  const job = { name: 'run-tool-batch' as const, data: { turnId, step: 'b1' } };

  await Promise.all(Array.from({ length: 5 }, () => world.handle(job)));
  await world.workUntilIdle();

  expect(tool.caught).toHaveLength(1);
  expect((await world.findTurn(turnId)).output).toBe('It says: ok');
});

test('a run whose turn was taken over says nothing negative: its failed call is no retry and no end', async () => {
  await using world = await createWorld();
  const fault = { kind: 'status' as const, status: 401, times: 1 };
  const { id } = await world.startTurn({ input: scripted({ answer: 'Hello.', final: { fault, think_ms: 400 } }) });

  const zombie = world.workOnce();
  await polled(world, id, ({ status }) => status === 'in_progress');
  await loseRun(world);
  const other = world.workOnce();
  await Promise.all([zombie, other]);
  await world.workUntilIdle();

  expect(world.asked).toHaveLength(2);
  expect(await world.findTurn(id)).toMatchObject({ status: 'completed', output: 'Hello.', error: null });
  expect(typesOf(await world.listEvents(id))).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'turn.completed'],
  ]);
});

test('of two replies to one round the first is kept and the late one is dropped', async () => {
  await using world = await createWorld();
  const slowly = scripted({ answer: 'Take your time.', think_ms: 400 });
  const { id } = await world.startTurn({ input: slowly });

  const zombie = world.workOnce();
  await polled(world, id, ({ status }) => status === 'in_progress');
  await loseRun(world);
  await Promise.all([zombie, world.workOnce()]);
  await world.workUntilIdle();
  const turn = await world.findTurn(id);

  expect(world.asked).toHaveLength(2);
  expect(turn).toMatchObject({ status: 'completed', output: 'Take your time.', usage: { llm_calls: 1 } });
  expect(typesOf(await world.listEvents(id))).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'turn.completed'],
  ]);
});

test('a turn that another run holds is left alone until the hold lapses', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });

  expect(await takeHold(world.db, (await loadTurn(world.db, id))!, 'another')).toBe(true);
  await world.workUntilIdle();
  const whileHeld = world.asked.length;
  await loseRun(world);
  await world.workUntilIdle();

  expect(whileHeld).toBe(0);
  expect((await world.findTurn(id)).status).toBe('completed');
});

test('a turn whose every run dies without a word fails as poison, after ten of them', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });

  for (let run = 1; run <= 10; run += 1) {
    expect(await takeHold(world.db, (await loadTurn(world.db, id))!, `dead ${run}`)).toBe(true);
    await world.advance(120_000);
  }
  await world.rescue();
  await world.workUntilIdle();

  expect(world.asked).toHaveLength(0);
  expect(await world.findTurn(id)).toMatchObject({
    status: 'failed',
    error: { type: 'internal_error', code: 'poison_turn' },
  });
});

/** The turn as soon as it is as asked for, by long poll. */
async function polled(world: World, id: string, isEnough: (turn: TurnResource) => boolean): Promise<TurnResource> {
  let turn = await world.findTurn(id);
  while (!isEnough(turn)) {
    turn = (await world.call<TurnResource>('GET', `/v1/turns/${id}?wait=20&after=${turn.last_event}`)).body;
  }
  return turn;
}
