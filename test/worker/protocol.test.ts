import { pino } from 'pino';
import { expect } from 'vitest';
import { openAnswerSlot } from '#core/bounds/answer-slots.ts';
import { claimCalls } from '#core/checkpoint/turns/claim-calls.ts';
import { lockTurn } from '#core/checkpoint/turns/lock.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { Turn } from '#core/turn/turn.ts';
import { answerCall } from '#services/worker/batch/answer-call.ts';
import { planCall } from '#services/worker/batch/plan-calls.ts';
import { jobHandler, loggingHandler } from '#services/worker/job-handler.ts';
import { openLease, startRun } from '#services/worker/lease/run.ts';
import { startStopwatch } from '#services/worker/lease/stopwatch.ts';
import { createHarness, type Harness, letTimePass } from '#test/harness/create-harness.ts';
import { msAgo } from '#test/harness/moments.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openToolRecorder } from '../harness/servers/tool-recorder.ts';

const locate = { name: 'locate_user', description: 'Asks the device where the user is', execution: { kind: 'client' } };
const postcard = {
  name: 'send_postcard',
  description: 'Sends a postcard to a city, once',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

async function startWaiting(harness: Harness, tools: object[], request: object, calls: string[]) {
  const requested = calls.map((id, index) => ({ id, name: (tools[index] as { name: string }).name, arguments: {} }));
  const input = scripted({ rounds: [{ tools: requested }], answer: 'Got {{results}}' });
  const { id } = await harness.runTurn({ input, tools: [...new Set(tools)], ...request });
  return id;
}

async function rescueAndWork(harness: Harness) {
  const rescued = await harness.rescue();
  await harness.workUntilIdle();
  return rescued;
}

test('a call is not repeated if its run stopped after its lease ended (R8)', async ({ harness }) => {
  await using recorder = await openToolRecorder();
  const execution = { kind: 'http', url: `${recorder.url}/slow` };
  const tool = { name: 'book_flight', description: 'Books a flight, only once', execution };
  const input = scripted({ rounds: [{ tools: [{ name: 'book_flight', arguments: {} }] }], answer: 'Got {{results}}' });
  const { id } = await harness.startTurn({ input, tools: [tool] });
  await harness.workOnce();

  const working = harness.workOnce();
  await recorder.called('slow');
  await harness.advance(7_000);
  harness.worker.heartbeat.stop('shutdown');
  await working;
  await using second = await createHarness({ env: { ...harness.env } });
  await second.workUntilIdle();

  const { status, rounds } = await second.findTurn(id);
  expect(recorder.calls).toHaveLength(1);
  expect(status).toBe('completed');
  expect(rounds[0]?.results[0]?.error?.category).toBe('outcome_unknown');
});

test('a client-side call that was allowed still expires (R2)', async ({ harness }) => {
  const tool = { ...locate, approval: 'always', expires_in_seconds: 3600 };
  const id = await startWaiting(harness, [tool], {}, ['call_where']);
  const approvals = [{ tool_call_id: 'call_where', decision: 'allow' }];
  await harness.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });

  await harness.advance(3_600_001);

  expect(await rescueAndWork(harness)).toBe(1);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
});

test('a requires_action turn ends at its deadline, despite a later answer (R2)', async ({ harness }) => {
  const id = await startWaiting(harness, [locate, locate], { limits: { deadline_seconds: 60 } }, ['call_a', 'call_b']);
  await harness.advance(60_001);

  const body = { tool_outputs: [{ tool_call_id: 'call_a', output: 'here' }] };
  const late = await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body });
  const rescued = await rescueAndWork(harness);

  expect([late.status, rescued]).toEqual([200, 1]);
  expect(await harness.findTurn(id)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'deadline' },
  });
});

test('a call that was allowed in time runs, although its job arrives after the expiry', async ({ harness }) => {
  const tool = { ...postcard, approval: 'always', expires_in_seconds: 60 };
  const id = await startWaiting(harness, [tool], {}, ['call_card']);
  const approvals = [{ tool_call_id: 'call_card', decision: 'allow' }];
  await harness.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });

  await harness.advance(61_000);
  await harness.workUntilIdle();

  const { rounds } = await harness.findTurn(id);
  expect(rounds[0]?.results[0]?.error?.category).not.toBe('cancelled');
});

test('a second hand-back of a step has no effect', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ final: { fault: { kind: 'hang' } } }) });
  const working = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
  const { lease_owner } = await harness.db.selectFrom('turn_states').select('lease_owner').executeTakeFirstOrThrow();
  const back = {
    turnId: id,
    step: 'r1',
    generation: 0,
    called: [],
    runId: String(lease_owner),
    delayMs: 0,
    rateLimited: false,
    waitedMs: 0,
  };
  const eventData = { phase: 'llm_round' };

  const first = await postponeStep(harness.db, { ...back, attempt: true, eventData });
  const second = await postponeStep(harness.db, { ...back, attempt: true, eventData });
  await harness.beat();
  await working;

  expect([first?.[0]?.generation, second]).toEqual([1, null]);
  const stored = await harness.db
    .selectFrom('turn_states')
    .select(['attempts', 'lease_owner'])
    .executeTakeFirstOrThrow();
  expect(stored).toEqual({ attempts: 1, lease_owner: null });
});

test('a locked turn does not delay the heartbeat of other turns (R4)', async ({ harness }) => {
  const input = scripted({ final: { fault: { kind: 'hang' } } });
  const [locked, other] = [await harness.startTurn({ input }), await harness.startTurn({ input })];
  const working = [harness.workOnce(), harness.workOnce()];
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(2));
  await harness.advance(4_000);

  await harness.db.transaction().execute(async (trx) => {
    await lockTurn(trx, locked.id);
    await harness.beat();
  });
  await harness.advance(3_000);

  expect(await harness.rescue()).toBe(1);
  expect(harness.worker.heartbeat.count()).toBe(2);
  harness.worker.heartbeat.stop('lost', other.id);
  harness.worker.heartbeat.stop('lost', locked.id);
  await Promise.all(working);
});

test('a run that slept since its claim does not call a call that was given up (R7)', async ({ harness }) => {
  await using recorder = await openToolRecorder();
  const execution = { kind: 'http', url: `${recorder.url}/book` };
  const tools = [{ name: 'book_flight', description: 'Books a flight, only once', execution }];
  const input = scripted({ rounds: [{ tools: [{ name: 'book_flight', arguments: {} }] }], answer: 'Got {{results}}' });
  const { id } = await harness.startTurn({ input, tools });
  await harness.workOnce();
  const turn = (await loadTurn(harness.db, id)) as Turn;
  const [call] = turn.rounds[0]?.calls ?? [];
  using lease = openLease('sleeper', turn);
  await claimCalls(harness.db, { turnId: id, round: 1, runId: lease.id, indexes: [0] });
  const claimedAt = { ...startStopwatch(), wallMs: msAgo(7_000) };

  await letTimePass(harness, 7_000);
  const plan = await planCall(turn, call!);
  using slot = openAnswerSlot('default');
  const known = await answerCall(startRun(lease, { turn }), { call: call!, plan, claimedAt, slot }, harness.worker);

  expect([known, recorder.calls.length]).toEqual([null, 0]);
  expect((await harness.findTurn(id)).rounds[0]?.results[0]?.error?.category).toBe('outcome_unknown');
});

test('a call that breaks off does not move the results of its siblings', async ({ harness, recorder }) => {
  const execution = { kind: 'http', url: `${recorder.url}/note` };
  const note = { name: 'note_it', description: 'Notes it down, once or often', execution, effect: 'idempotent' };
  const calls = [{ name: 'note_it' }, { name: 'weather_lookup', arguments: { city: 'Rome' } }];
  const { id } = await harness.startTurn({
    input: scripted({ rounds: [{ tools: calls }] }),
    tools: [note, 'weather_lookup'],
  });
  await harness.workOnce();
  const broken = { ...harness.worker, secretsOf: () => Promise.reject(new Error('no secrets')) };

  await expect(harness.workOnce(jobHandler(broken))).rejects.toThrow('no secrets');
  const results = (await harness.findTurn(id)).rounds[0]?.results.map(({ status }) => status);
  await harness.advance(7_000);
  await rescueAndWork(harness);

  expect(results).toEqual(['pending', 'success']);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
  expect(recorder.calls).toHaveLength(1);
});

test('the log line of a job that breaks off has the turn_id and the step', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  const lines: object[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const heldWrites = {
    ...harness.worker.heldWrites,
    blocks: () => {
      throw new Error('broken');
    },
  };

  await harness.workOnce(loggingHandler({ ...harness.worker, log, heldWrites }));

  expect(lines).toEqual([expect.objectContaining({ event: 'job.failed', turn_id: id, step: 'r1', generation: 0 })]);
});

test('a job that arrives too early has no effect, and its step is retried in time', async ({ harness }) => {
  const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 1 };
  const { id } = await harness.runTurn({ input: scripted({ answer: 'At last.', final: { fault } }) });
  const before = await harness.db.selectFrom('turn_states').selectAll().executeTakeFirstOrThrow();

  await harness.parts.enqueue([
    { kind: 'turn', turnId: id, step: 'r1', generation: 9, provider: 'openai', priority: 0 },
  ]);
  await harness.workUntilIdle();
  const after = await harness.db.selectFrom('turn_states').selectAll().executeTakeFirstOrThrow();
  await harness.advance(31_000);
  await harness.parts.enqueue([
    { kind: 'turn', turnId: id, step: 'r1', generation: 10, provider: 'openai', priority: 0 },
  ]);
  await harness.workUntilIdle();

  expect(after).toEqual(before);
  expect(harness.modelRequests).toHaveLength(2);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'At last.' });
});

test('a webhook is not retried before its time, even if a worker polls often', async ({ harness }) => {
  await using receiver = await openExternalServer(() => ({ status: 500 }));
  await harness.runTurn({ input: scripted({}), webhook: { url: receiver.url, events: ['turn.completed'] } });

  await harness.deliver();

  expect(receiver.caught).toHaveLength(1);
});
