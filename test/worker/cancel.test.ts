import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, startBackgroundWorker, workUntilEnded } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { describeRefusal } from '../api/refusals.ts';
import { openStream } from '../api/stream/open-stream.ts';

const hanging = (more: object = {}) =>
  scripted({ answer: 'One word after the other', final: { fault: { kind: 'hang', after_chars: 8 } }, ...more });
const call = (name: string) => ({ name, arguments: { city: 'Tokyo' }, id: `call_${name}` });

const cancel = ({ call }: Harness, id: string) => call<TurnResource>('POST', `/v1/turns/${id}/cancel`);

/** Waits until the model has begun to answer. */
async function untilSpeaking({ url }: Harness, turnId: string) {
  const stream = await openStream(`${url}/v1/turns/${turnId}/events`, {});
  await stream.until((seen) => seen.some(({ type }) => type === 'output_text.delta'));
  return stream;
}

test('a queued turn is cancelled before any request', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  const cancelled = await cancel(harness, id);
  await harness.workUntilIdle();

  expect(cancelled).toMatchObject({ status: 200, body: { id, status: 'cancelled', output: null, started_at: null } });
  expect(cancelled.headers.get('pawl-poll-after-ms')).toBeNull();
  expect(harness.modelRequests).toHaveLength(0);
  expect((await harness.listEvents(id)).map(({ type }) => type)).toEqual(['turn.queued', 'turn.cancelled']);
});

test('a second cancel answers 200 and does not change the turn', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  const first = await cancel(harness, id);
  const again = await cancel(harness, id);

  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect(await harness.listEvents(id)).toHaveLength(2);
});

test.each([
  ['completed', 'Hi', {}],
  ['incomplete', scripted({ final: { finish_reason: 'length' } }), {}],
  ['failed', scripted({ final: { fault: { kind: 'status', status: 401 } } }), {}],
])('a turn that is %s cannot be cancelled and does not change', async (status, input, more) => {
  await using harness = await createHarness();
  const { id } = await harness.startTurn({ input, ...more });
  const ended = await workUntilEnded(harness, id);

  const refused = await cancel(harness, id);

  expect(ended.status).toBe(status);
  expect(describeRefusal(refused)).toMatch(/^409 /);
  expect(await harness.findTurn(id)).toEqual(ended);
});

test('a cancel in a round aborts the model request, and the turn stays cancelled', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness, { beats: false });
  const { id } = await harness.startTurn({ input: hanging() });
  const stream = await untilSpeaking(harness, id);

  const { status, body } = await cancel(harness, id);
  await harness.modelRequests[0]!.aborted;
  await stream.over;

  expect([status, body.status, body.output, body.rounds]).toEqual([200, 'cancelled', null, []]);
  expect(stream.seen.at(-1)).toMatchObject({ type: 'turn.cancelled', data: { turn: { status: 'cancelled' } } });
  expect(harness.modelRequests).toHaveLength(1);
});

test('a cancel in a batch stops the tools, and an at_most_once call is unknown', async ({ harness }) => {
  await using tool = await openExternalServer(() => null);
  await using fast = await openExternalServer(() => ({ status: 200, body: 'done' }));
  await using _worker = await startBackgroundWorker(harness, { beats: false });
  const tools = [
    httpTool('write_once', tool.url),
    httpTool('read_only', tool.url, { effect: 'none' }),
    httpTool('answer_fast', fast.url),
  ];
  const input = scripted({ rounds: [{ tools: tools.map(({ name }) => call(name)) }] });
  const { id, last_event } = await harness.startTurn({ input, tools });
  const calls = await Promise.all([tool.arrival(1), tool.arrival(2)]);
  await untilEvent(harness, id, 'tool_call.completed', last_event);

  const { body } = await cancel(harness, id);
  await Promise.all(calls.map(({ left }) => left));

  expect(body).toMatchObject({ status: 'cancelled', output: null, round: 1 });
  expect(body.rounds[0]?.results.map(({ status, error }) => [status, error?.category ?? null])).toEqual([
    ['error', 'outcome_unknown'],
    ['error', 'cancelled'],
    ['success', null],
  ]);
  expect((await harness.listEvents(id)).map(({ type }) => type)).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'tool_call.completed'],
    ...['tool_call.completed', 'tool_call.completed', 'turn.cancelled'],
  ]);
});

test('a model reply that arrives after the cancel is dropped', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ answer: 'Too late.' }) });
  const held = harness.holdModel();

  const round = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
  const { body } = await cancel(harness, id);
  held.open();
  await round;
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toEqual(body);
  expect((await harness.listEvents(id)).map(({ type }) => type)).toEqual([
    'turn.queued',
    'turn.started',
    'turn.cancelled',
  ]);
});

test('a tool result that arrives after the cancel is dropped', async ({ harness }) => {
  await using tool = await openExternalServer(() => null);
  const input = scripted({ rounds: [{ tools: [call('write_once')] }] });
  const { id } = await harness.startTurn({ input, tools: [httpTool('write_once', tool.url)] });
  await harness.workOnce();

  const batch = harness.workOnce();
  const caught = await tool.arrival(1);
  const { body } = await cancel(harness, id);
  const events = await harness.listEvents(id);
  caught.answer({ status: 200, body: 'too late' });
  await batch;
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toEqual(body);
  expect(await harness.listEvents(id)).toEqual(events);
  expect(harness.modelRequests).toHaveLength(1);
});

test('an interrupt aborts the model request, and the new turn is answered', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness, { beats: false });
  const { id, conversation_id } = await harness.startTurn({ input: hanging() });
  await untilSpeaking(harness, id);

  const { body: next } = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation_id}/turns`, {
    body: { input: scripted({ answer: 'Here.' }), on_active_turn: 'interrupt' },
  });
  await harness.modelRequests[0]!.aborted;
  const done = await harness.untilEnded(next.id);

  expect((await harness.findTurn(id)).status).toBe('cancelled');
  expect(done).toMatchObject({ status: 'completed', output: 'Here.' });
});

test('a deadline aborts a running model request and ends the turn without a summary', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness, { beats: false });
  const { id } = await harness.startTurn({ input: hanging(), limits: { deadline_seconds: 1 } });

  const turn = await harness.untilEnded(id);
  await harness.modelRequests[0]!.aborted;

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'deadline' }, output: null });
  const lastedMs = Date.parse(turn.completed_at!) - Date.parse(turn.created_at);
  expect(lastedMs).toBeGreaterThanOrEqual(1_000);
  expect(harness.modelRequests).toHaveLength(1);
});

/** Waits, by long poll, for an event of this type. */
async function untilEvent(harness: Harness, id: string, type: string, from: number): Promise<void> {
  let after = from;
  while (!(await harness.listEvents(id)).some((event) => event.type === type)) {
    after = (await harness.call<TurnResource>('GET', `/v1/turns/${id}?wait=20&after=${after}`)).body.last_event;
  }
}
