import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { httpTool } from '#test/world/http-tool.ts';
import { workUntilEnded } from '#test/world/let-time-pass.ts';
import { openLiveWorker } from '#test/world/live-worker.ts';
import { scripted } from '#test/world/scripted.ts';
import { openStranger } from '#test/world/stranger.ts';
import { openStream } from '../api/open-stream.ts';
import { describeRefusal } from '../api/refusals.ts';

const hanging = (more: object = {}) =>
  scripted({ answer: 'One word after the other', final: { fault: { kind: 'hang', after_chars: 8 } }, ...more });
const call = (name: string) => ({ name, arguments: { city: 'Tokyo' }, id: `call_${name}` });

const cancel = ({ call }: World, id: string) => call<TurnResource>('POST', `/v1/turns/${id}/cancel`);

/** Waits until the model has begun to answer. */
async function untilSpeaking({ url }: World, turnId: string) {
  const stream = await openStream(`${url}/v1/turns/${turnId}/events`, {});
  await stream.until((seen) => seen.some(({ type }) => type === 'output_text.delta'));
  return stream;
}

test('a queued turn is cancelled before anything was asked', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });

  const cancelled = await cancel(world, id);
  await world.workUntilIdle();

  expect(cancelled).toMatchObject({ status: 200, body: { id, status: 'cancelled', output: null, started_at: null } });
  expect(cancelled.headers.get('pawl-poll-after-ms')).toBeNull();
  expect(world.asked).toHaveLength(0);
  expect((await world.listEvents(id)).map(({ type }) => type)).toEqual(['turn.queued', 'turn.cancelled']);
});

test('cancelling again is 200 and changes nothing', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });

  const first = await cancel(world, id);
  const again = await cancel(world, id);

  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect(await world.listEvents(id)).toHaveLength(2);
});

test.each([
  ['completed', 'Hi', {}],
  ['incomplete', scripted({ final: { finish_reason: 'length' } }), {}],
  ['failed', scripted({ final: { fault: { kind: 'status', status: 401 } } }), {}],
])('a turn that is %s cannot be cancelled and stays as it is', async (status, input, more) => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input, ...more });
  const ended = await workUntilEnded(world, id);

  const refused = await cancel(world, id);

  expect(ended.status).toBe(status);
  expect(describeRefusal(refused)).toMatch(/^409 /);
  expect(await world.findTurn(id)).toEqual(ended);
});

test('a cancel in a round is told to the worker, which hangs up on the model, and the turn stays cancelled', async () => {
  await using world = await createWorld();
  await using _worker = await openLiveWorker(world, { beats: false });
  const { id } = await world.startTurn({ input: hanging() });
  const stream = await untilSpeaking(world, id);

  const { status, body } = await cancel(world, id);
  await world.asked[0]!.aborted;
  await stream.over;

  expect([status, body.status, body.output, body.rounds]).toEqual([200, 'cancelled', null, []]);
  expect(stream.seen.at(-1)).toMatchObject({ type: 'turn.cancelled', data: { turn: { status: 'cancelled' } } });
  expect(world.asked).toHaveLength(1);
});

test('a cancel in a batch is told to the worker, which stops the tools; what was sent at most once is unknown', async () => {
  await using world = await createWorld();
  await using tool = await openStranger(() => null);
  await using fast = await openStranger(() => ({ status: 200, body: 'done' }));
  await using _worker = await openLiveWorker(world, { beats: false });
  const tools = [
    httpTool('write_once', tool.url),
    httpTool('read_only', tool.url, { effect: 'none' }),
    httpTool('answer_fast', fast.url),
  ];
  const input = scripted({ rounds: [{ tools: tools.map(({ name }) => call(name)) }] });
  const { id, last_event } = await world.startTurn({ input, tools });
  const calls = await Promise.all([tool.arrival(1), tool.arrival(2)]);
  await untilEvent(world, id, 'tool_call.completed', last_event);

  const { body } = await cancel(world, id);
  await Promise.all(calls.map(({ left }) => left));

  expect(body).toMatchObject({ status: 'cancelled', output: null, round: 1 });
  expect(body.rounds[0]?.results.map(({ status, error }) => [status, error?.category ?? null])).toEqual([
    ['error', 'outcome_unknown'],
    ['error', 'cancelled'],
    ['success', null],
  ]);
  expect((await world.listEvents(id)).map(({ type }) => type)).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'tool_call.completed'],
    ...['tool_call.completed', 'tool_call.completed', 'turn.cancelled'],
  ]);
});

test('an answer of the model that comes after the cancel changes nothing', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: scripted({ answer: 'Too late.', think_ms: 300 }) });

  const round = world.workOnce();
  await untilEvent(world, id, 'turn.started', 1);
  const { body } = await cancel(world, id);
  await round;
  await world.workUntilIdle();

  expect(await world.findTurn(id)).toEqual(body);
  expect((await world.listEvents(id)).map(({ type }) => type)).toEqual([
    'turn.queued',
    'turn.started',
    'turn.cancelled',
  ]);
});

test('an answer of a tool that comes after the cancel changes nothing', async () => {
  await using world = await createWorld();
  await using tool = await openStranger(() => null);
  const input = scripted({ rounds: [{ tools: [call('write_once')] }] });
  const { id } = await world.startTurn({ input, tools: [httpTool('write_once', tool.url)] });
  await world.workOnce();

  const batch = world.workOnce();
  const caught = await tool.arrival(1);
  const { body } = await cancel(world, id);
  const events = await world.listEvents(id);
  caught.answer({ status: 200, body: 'too late' });
  await batch;
  await world.workUntilIdle();

  expect(await world.findTurn(id)).toEqual(body);
  expect(await world.listEvents(id)).toEqual(events);
  expect(world.asked).toHaveLength(1);
});

test('an interrupt is told to the worker, which hangs up on the model, and the new turn is answered', async () => {
  await using world = await createWorld();
  await using _worker = await openLiveWorker(world, { beats: false });
  const { id, conversation_id } = await world.startTurn({ input: hanging() });
  await untilSpeaking(world, id);

  const { body: next } = await world.call<TurnResource>('POST', `/v1/conversations/${conversation_id}/turns`, {
    body: { input: scripted({ answer: 'Here.' }), on_active_turn: 'interrupt' },
  });
  await world.asked[0]!.aborted;
  const done = await world.untilEnded(next.id);

  expect((await world.findTurn(id)).status).toBe('cancelled');
  expect(done).toMatchObject({ status: 'completed', output: 'Here.' });
});

test('a deadline hangs up on a running model and ends the turn without a summary', async () => {
  await using world = await createWorld();
  await using _worker = await openLiveWorker(world, { beats: false });
  const { id } = await world.startTurn({ input: hanging(), limits: { deadline_seconds: 1 } });

  const turn = await world.untilEnded(id);
  await world.asked[0]!.aborted;

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'deadline' }, output: null });
  const lastedMs = Date.parse(turn.completed_at!) - Date.parse(turn.created_at);
  expect(lastedMs).toBeGreaterThanOrEqual(1_000);
  expect(world.asked).toHaveLength(1);
});

/** Waits, by long poll, until an event of this type is there. */
async function untilEvent(world: World, id: string, type: string, from: number): Promise<void> {
  let after = from;
  while (!(await world.listEvents(id)).some((event) => event.type === type)) {
    after = (await world.call<TurnResource>('GET', `/v1/turns/${id}?wait=20&after=${after}`)).body.last_event;
  }
}
