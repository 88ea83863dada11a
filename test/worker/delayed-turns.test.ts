import { expect } from 'vitest';
import { queueDelayed } from '#core/checkpoint/turns/delays/queue-delayed.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { timing } from '#core/turn/timing.ts';
import { createHarness, type Harness, letTimePass, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { isoAgo } from '#test/harness/moments.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { test } from '#test/harness/test.ts';
import { refusalOf } from '../api/refusals.ts';

async function openConversation(harness: Harness) {
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const path = `/v1/conversations/${body.id}`;
  return {
    path,
    say: async (input: string, fields = {}) =>
      (await harness.call<TurnResource>('POST', `${path}/turns`, { body: { input, ...fields } })).body,
    activeTurn: async () => (await harness.call('GET', path)).body.active_turn_id,
  };
}

const asked = ({ modelRequests }: Harness) => modelRequests.map(({ body }) => body.messages.at(-1)?.content);

describeQueue(({ redis }) => {
  test('a delayed turn begins at its time, even if the queue forgets it, and blocks none', async () => {
    await using harness = await createHarness({ redis });
    const { path, say, activeTurn } = await openConversation(harness);

    const later = await say('later', { delay_seconds: 60, limits: { deadline_seconds: 30 } });
    await harness.queueDelayed();
    await harness.workUntilIdle();
    const active = await activeTurn();
    const now = await say('now', { on_active_turn: 'reject' });
    await harness.workUntilIdle();
    const before = asked(harness);
    await harness.advance(60_000);
    // The wakeup is lost: no job of this wakeup runs.
    const { wakeups } = await queueDelayed(harness.db, { limit: 10, needsSlot: false });
    const queued = await harness.findTurn(later.id);
    await letTimePass(harness, timing.graceMs);

    expect(later).toMatchObject({ status: 'queued', waiting: { for: 'start_at', until: later.start_at } });
    expect(Date.parse(later.start_at!) - Date.parse(later.created_at)).toBe(60_000);
    expect([active, before, wakeups.length]).toEqual([null, ['now'], 1]);
    expect(queued.waiting?.for).toBe('slot');
    expect([await harness.findTurn(now.id), await harness.findTurn(later.id)].map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    const { body } = await harness.call<{ data: { role: string; content: string }[] }>('GET', `${path}/messages`);
    expect(body.data.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(['now', 'later']);
  });
});

test('turns that are due together begin in order of their times, after earlier turns', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const delayed = [await say('third', { delay_seconds: 30 }), await say('second', { delay_seconds: 20 })];
  const first = await say('first', {});
  await harness.advance(40_000);
  await harness.queueDelayed();
  const waiting = await Promise.all(delayed.map(async ({ id }) => (await harness.findTurn(id)).waiting?.for));
  const last = await say('last', {});
  await harness.workUntilIdle();

  expect(waiting).toEqual(['turn', 'turn']);
  expect(asked(harness)).toEqual(['first', 'second', 'third', 'last']);
  expect((await harness.findTurn(last.id)).status).toBe('completed');
  expect((await harness.findTurn(first.id)).start_at).toBeNull();
});

test('a past time means now, and a turn cancelled before its time never begins', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const past = await say('past', { start_at: '2020-01-01T01:00:00+01:00' });
  const gone = await say('gone', { start_at: isoAgo(-3_600_000) });
  const { status } = await harness.call('POST', `/v1/turns/${gone.id}/cancel`);
  await harness.advance(4_000_000);
  await harness.queueDelayed();
  await harness.workUntilIdle();

  expect([past.start_at, status]).toEqual(['2020-01-01T00:00:00.000Z', 200]);
  expect(asked(harness)).toEqual(['past']);
  expect(await harness.findTurn(gone.id)).toMatchObject({ status: 'cancelled', waiting: null, started_at: null });
});

test('a rerun of a turn cancelled before its time sees turns begun before its request', async ({ harness }) => {
  const { say } = await openConversation(harness);
  const first = await say('first', { delay_seconds: 3_600 });
  await say('before');
  await harness.workUntilIdle();
  const gone = await say('gone', { delay_seconds: 3_600 });
  await say('after');
  await harness.workUntilIdle();
  for (const { id } of [first, gone]) await harness.call('POST', `/v1/turns/${id}/cancel`);
  harness.modelRequests.length = 0;

  const again = (id: string) => harness.call<TurnResource>('POST', `/v1/turns/${id}/rerun`);
  const { status, body } = await again(gone.id);
  await harness.workUntilIdle();
  await again(first.id);
  await harness.workUntilIdle();
  const sent = harness.modelRequests.map(({ body: { messages } }) =>
    (messages as { content: unknown }[]).map(({ content }) => content),
  );

  expect([status, await harness.findTurn(body.id)]).toMatchObject([202, { status: 'completed', rerun_of: gone.id }]);
  expect(sent).toEqual([['before', expect.anything(), 'gone'], ['first']]);
});

test('a turn not queued by its deadline ends, with the deadline counted from its time', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const late = await say('late', { delay_seconds: 10, limits: { deadline_seconds: 5 } });
  await say('other');
  await harness.workUntilIdle();
  await letTimePass(harness, 30_000);
  const ended = await harness.findTurn(late.id);

  expect([ended.status, ended.waiting]).toEqual(['incomplete', null]);
  expect(asked(harness)).toEqual(['other']);
});

test('each turn begins once if ends of turns and due times race in a conversation', async ({ harness }) => {
  const conversations = await Promise.all(Array.from({ length: 12 }, () => openConversation(harness)));
  await using _worker = await startBackgroundWorker(harness);

  const turns = await Promise.all(
    conversations.flatMap(({ say }, index) => [say('first'), say('second', { start_at: isoAgo(-300 - 20 * index) })]),
  );
  const ended = await Promise.all(turns.map(({ id }) => harness.untilEnded(id)));

  expect(ended.map(({ status }) => status)).toEqual(turns.map(() => 'completed'));
  expect(ended.filter(({ start_at }) => start_at).every((turn) => turn.started_at! >= turn.start_at!)).toBe(true);
});

test('a turn’s time is one of two fields, within a year, and only for turns that wait', async ({ harness }) => {
  const refused = (fields: object) => refusalOf(harness, '/v1/turns', { model: 'sim/demo', input: 'Hi', ...fields });
  const inAYear = isoAgo(-366 * 86_400_000);

  expect(await refused({ start_at: inAYear })).toBe('400 invalid_value: start_at');
  expect(await refused({ start_at: 'tomorrow' })).toBe('400 invalid_value: start_at');
  expect(await refused({ delay_seconds: 31_536_001 })).toBe('400 invalid_value: delay_seconds');
  expect(await refused({ delay_seconds: 1, start_at: '2020-01-01T00:00:00Z' })).toBe(
    '400 invalid_value: delay_seconds',
  );
  expect(await refused({ delay_seconds: 1, on_active_turn: 'reject' })).toBe('400 invalid_value: delay_seconds');
  expect(await refused({ delay_seconds: 1, debounce_ms: 5 })).toBe('400 invalid_value: debounce_ms');
});

test('fields of a single turn are refused if a conversation is created without a turn', async ({ harness }) => {
  const created = (fields: object) => refusalOf(harness, '/v1/conversations', { model: 'openai/test', ...fields });

  expect(await created({ priority: 5 })).toBe('400 invalid_value: priority');
  expect(await created({ on_active_turn: 'reject' })).toBe('400 invalid_value: on_active_turn');
  expect(await created({ priority: null, on_active_turn: null })).toMatch(/^201/);
  expect(await created({ priority: 0, on_active_turn: 'enqueue' })).toMatch(/^201/);
  expect(await created({ input: 'Hi', priority: 5, on_active_turn: 'reject' })).toMatch(/^202/);
});

test('a time is refused without input, and if the input would join a turn', async ({ harness }) => {
  const active = await harness.startTurn({ input: 'Hello' });
  const created = (fields: object) => refusalOf(harness, '/v1/conversations', { model: 'sim/demo', ...fields });
  const path = `/v1/conversations/${active.conversation_id}/turns`;
  const joined = (fields: object) => refusalOf(harness, path, { input: 'Hi', on_active_turn: 'steer', ...fields });

  expect(await created({ start_at: '2020-01-01T00:00:00Z' })).toBe('400 invalid_value: start_at');
  expect(await created({ delay_seconds: 0 })).toBe('400 invalid_value: delay_seconds');
  expect(await created({ on_active_turn: 'merge', debounce_ms: 5 })).toBe('400 invalid_value: debounce_ms');
  expect(await joined({ delay_seconds: 5 })).toBe('400 invalid_value: delay_seconds');
  expect(await joined({ debounce_ms: 5 })).toBe('400 invalid_value: debounce_ms');
});
