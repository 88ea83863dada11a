import { expect, test } from 'vitest';
import { claimCalls } from '#core/checkpoint/claim-calls.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { lockTurn } from '#core/checkpoint/lock-turn.ts';
import { postponeStep } from '#core/checkpoint/postpone-step.ts';
import type { Turn } from '#core/turn/turn.ts';
import { answerCall } from '#services/worker/jobs/answer-call.ts';
import { momentNow } from '#services/worker/moment.ts';
import { jobHandler } from '#services/worker/open-worker.ts';
import { planCall } from '#services/worker/plan-call.ts';
import { startRun } from '#services/worker/run.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';
import { openStranger } from '#test/world/stranger.ts';
import { startWitness } from '../crash/witness.ts';

const locate = { name: 'locate_user', description: 'Asks the device where the user is', execution: { kind: 'client' } };
const postcard = {
  name: 'send_postcard',
  description: 'Sends a postcard to a city, once',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

async function park(world: World, tools: object[], request: object, calls: string[]) {
  const asked = calls.map((id, index) => ({ id, name: (tools[index] as { name: string }).name, arguments: {} }));
  const input = scripted({ rounds: [{ tools: asked }], answer: 'Got {{results}}' });
  const { id } = await world.startTurn({ input, tools: [...new Set(tools)], ...request });
  await world.workUntilIdle();
  return id;
}

async function rescueAndWork(world: World) {
  const rung = await world.rescue();
  await world.workUntilIdle();
  return rung;
}

test('a call that was made is not made again, although its run stopped after its hold had lapsed (R8)', async () => {
  await using witness = await startWitness();
  await using world = await createWorld();
  const execution = { kind: 'http', url: `${witness.url}/slow` };
  const tool = { name: 'book_flight', description: 'Books a flight, only once', execution };
  const input = scripted({ rounds: [{ tools: [{ name: 'book_flight', arguments: {} }] }], answer: 'Got {{results}}' });
  const { id } = await world.startTurn({ input, tools: [tool] });
  await world.workOnce();

  const working = world.workOnce();
  await witness.called('/slow');
  await world.advance(7_000);
  world.worker.heartbeat.stop('shutdown');
  await working;
  await using second = await createWorld({ env: { ...world.env } });
  await second.workUntilIdle();

  const { status, rounds } = await second.findTurn(id);
  expect(witness.calls).toHaveLength(1);
  expect(status).toBe('completed');
  expect(rounds[0]?.results[0]?.error?.category).toBe('outcome_unknown');
});

test('a client-side call that was allowed still expires (R2)', async () => {
  await using world = await createWorld();
  const tool = { ...locate, approval: 'always', expires_in_seconds: 3600 };
  const id = await park(world, [tool], {}, ['call_where']);
  const approvals = [{ tool_call_id: 'call_where', decision: 'allow' }];
  await world.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });

  await world.advance(3_600_001);

  expect(await rescueAndWork(world)).toBe(1);
  expect(await world.findTurn(id)).toMatchObject({ status: 'completed' });
});

test('a parked turn ends at its deadline, although a client answers just after it (R2)', async () => {
  await using world = await createWorld();
  const id = await park(world, [locate, locate], { limits: { deadline_seconds: 60 } }, ['call_a', 'call_b']);
  await world.advance(60_001);

  const body = { tool_outputs: [{ tool_call_id: 'call_a', output: 'here' }] };
  const late = await world.call('POST', `/v1/turns/${id}/tool_outputs`, { body });
  const rung = await rescueAndWork(world);

  expect([late.status, rung]).toEqual([200, 1]);
  expect(await world.findTurn(id)).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'deadline' } });
});

test('a call that was allowed in time runs, although its job comes after the expiry', async () => {
  await using world = await createWorld();
  const tool = { ...postcard, approval: 'always', expires_in_seconds: 60 };
  const id = await park(world, [tool], {}, ['call_card']);
  const approvals = [{ tool_call_id: 'call_card', decision: 'allow' }];
  await world.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });

  await world.advance(61_000);
  await world.workUntilIdle();

  const { rounds } = await world.findTurn(id);
  expect(rounds[0]?.results[0]?.error?.category).not.toBe('cancelled');
});

test('handing a step back twice is handing it back once', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: scripted({ final: { fault: { kind: 'hang' } } }) });
  const working = world.workOnce();
  await expect.poll(() => world.asked).toHaveLength(1);
  const { held_by } = await world.db.selectFrom('turns').select('held_by').executeTakeFirstOrThrow();
  const back = {
    turnId: id,
    step: 'r1',
    ring: 0,
    called: [],
    runId: held_by ?? '',
    delayMs: 0,
    rateLimited: false,
    parkedMs: 0,
  };
  const told = { phase: 'llm_round' };

  const first = await postponeStep(world.db, { ...back, attempt: true, told });
  const second = await postponeStep(world.db, { ...back, attempt: true, told });
  await world.beat();
  await working;

  expect([first?.number, second]).toEqual([1, null]);
  const stored = await world.db.selectFrom('turns').select(['attempts', 'held_by']).executeTakeFirstOrThrow();
  expect(stored).toEqual({ attempts: 1, held_by: null });
});

test('a turn that somebody has locked does not hold up the heartbeat of the others (R4)', async () => {
  await using world = await createWorld();
  const input = scripted({ final: { fault: { kind: 'hang' } } });
  const [locked, other] = [await world.startTurn({ input }), await world.startTurn({ input })];
  const working = [world.workOnce(), world.workOnce()];
  await expect.poll(() => world.asked).toHaveLength(2);
  await world.advance(4_000);

  await world.db.transaction().execute(async (trx) => {
    await lockTurn(trx, locked.id);
    await world.beat();
  });
  await world.advance(3_000);

  expect(await world.rescue()).toBe(1);
  expect(world.worker.heartbeat.count()).toBe(2);
  world.worker.heartbeat.stop('lost', other.id);
  world.worker.heartbeat.stop('lost', locked.id);
  await Promise.all(working);
});

test('a run that slept since its claim does not call, once another has judged the call (R7)', async () => {
  await using witness = await startWitness();
  await using world = await createWorld();
  const execution = { kind: 'http', url: `${witness.url}/book` };
  const tools = [{ name: 'book_flight', description: 'Books a flight, only once', execution }];
  const input = scripted({ rounds: [{ tools: [{ name: 'book_flight', arguments: {} }] }], answer: 'Got {{results}}' });
  const { id } = await world.startTurn({ input, tools });
  await world.workOnce();
  const turn = (await loadTurn(world.db, id)) as Turn;
  const [call] = turn.rounds[0]?.calls ?? [];
  using sleeper = startRun('sleeper', turn);
  await claimCalls(world.db, { turnId: id, round: 1, runId: sleeper.id, indexes: [0] });
  const claimedAt = { ...momentNow(), wallMs: Date.now() - 7_000 };

  await world.advance(7_000);
  await world.rescue();
  await world.workUntilIdle();
  const plan = planCall(turn, call!);
  const known = await answerCall(sleeper, { call: call!, plan, claimedAt }, world.worker);

  expect([known, witness.calls.length]).toEqual([null, 0]);
  expect((await world.findTurn(id)).rounds[0]?.results[0]?.error?.category).toBe('outcome_unknown');
});

test('a call that breaks off leaves its siblings’ results where they belong', async () => {
  await using witness = await startWitness();
  await using world = await createWorld();
  const execution = { kind: 'http', url: `${witness.url}/note` };
  const note = { name: 'note_it', description: 'Notes it down, once or often', execution, effect: 'idempotent' };
  const calls = [{ name: 'note_it' }, { name: 'weather_lookup', arguments: { city: 'Rome' } }];
  const { id } = await world.startTurn({
    input: scripted({ rounds: [{ tools: calls }] }),
    tools: [note, 'weather_lookup'],
  });
  await world.workOnce();
  const broken = { ...world.worker, secretsOf: () => Promise.reject(new Error('no secrets')) };

  await expect(world.workOnce(jobHandler(broken))).rejects.toThrow('no secrets');
  const results = (await world.findTurn(id)).rounds[0]?.results.map(({ status }) => status);
  await world.advance(7_000);
  await rescueAndWork(world);

  expect(results).toEqual(['pending', 'success']);
  expect(await world.findTurn(id)).toMatchObject({ status: 'completed' });
  expect(witness.calls).toHaveLength(1);
});

test('a job that a wrong clock sends too early changes nothing: the step is tried when it is time', async () => {
  await using world = await createWorld();
  const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 1 };
  const { id } = await world.startTurn({ input: scripted({ answer: 'At last.', final: { fault } }) });
  await world.workUntilIdle();
  const before = await world.db.selectFrom('turns').selectAll().executeTakeFirstOrThrow();

  await world.parts.ring([{ kind: 'turn', turnId: id, step: 'r1', number: 9, provider: 'openai', priority: 0 }]);
  await world.workUntilIdle();
  const after = await world.db.selectFrom('turns').selectAll().executeTakeFirstOrThrow();
  await world.advance(31_000);
  await world.parts.ring([{ kind: 'turn', turnId: id, step: 'r1', number: 10, provider: 'openai', priority: 0 }]);
  await world.workUntilIdle();

  expect(after).toEqual(before);
  expect(world.asked).toHaveLength(2);
  expect(await world.findTurn(id)).toMatchObject({ status: 'completed', output: 'At last.' });
});

test('a webhook that is to be tried again is not tried earlier, however often its job comes', async () => {
  await using receiver = await openStranger(() => ({ status: 500 }));
  await using world = await createWorld();
  await world.startTurn({ input: scripted({}), webhook: { url: receiver.url, events: ['turn.completed'] } });
  await world.workUntilIdle();
  const { id } = await world.db.selectFrom('deliveries').select('id').executeTakeFirstOrThrow();

  await world.parts.ring([{ kind: 'delivery', deliveryId: id, number: 9 }]);
  await world.workUntilIdle();

  expect(receiver.caught).toHaveLength(1);
});
