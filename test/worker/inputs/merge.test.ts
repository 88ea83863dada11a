import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../../api/refusals.ts';

const merge = ({ call }: Harness, conversationId: string, body: Record<string, unknown>) =>
  call<TurnResource>('POST', `/v1/conversations/${conversationId}/turns`, {
    body: { on_active_turn: 'merge', ...body },
  });

const contents = ({ input }: { input: { content: unknown }[] }) => input.map(({ content }) => content);

test('a merged input joins the last turn that has not begun, and no begun turn', async ({ harness }) => {
  const calling = scripted({
    rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Lisbon' }, id: 'call_1' }] }],
  });
  const first = await harness.startTurn({ input: calling, tools: ['weather_lookup'] });
  await harness.workOnce();

  const second = await merge(harness, first.conversation_id, { input: 'One' });
  const third = await merge(harness, first.conversation_id, { input: scripted({ answer: 'Both.' }) });
  await workUntilEnded(harness, first.id);
  const done = await workUntilEnded(harness, second.body.id);

  expect([second.status, third.status]).toEqual([202, 200]);
  expect(third.body.id).toBe(second.body.id);
  expect(contents(done)).toEqual(['One', scripted({ answer: 'Both.' })]);
  expect((await harness.findTurn(first.id)).rounds.flatMap(contents)).toEqual([]);
  const events = (await harness.listEvents(done.id)).map(({ type }) => type);
  expect(events).toEqual(['turn.queued', 'input.added', 'turn.started', 'round.completed', 'turn.completed']);
});

test('a debounced turn begins after its last input, at most ten times as long in all', async ({ harness }) => {
  const { body: conversation } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const id = String(conversation.id);

  const first = await merge(harness, id, { input: 'One', debounce_ms: 60_000 });
  await harness.workUntilIdle();
  const second = await merge(harness, id, { input: 'Two', debounce_ms: 60_000 });
  const capped = await merge(harness, id, { input: 'Three', debounce_ms: 1 });
  const alone = await merge(harness, id, { input: 'Four', debounce_ms: 60_000 });

  expect([first.status, second.status, capped.status]).toEqual([202, 200, 200]);
  expect(first.body).toMatchObject({ status: 'queued', waiting: { for: 'start_at' } });
  const startAt = ({ body }: { body: TurnResource }) => Date.parse(String(body.start_at));
  const createdAt = Date.parse(first.body.created_at);
  expect(startAt(first) - createdAt).toBe(60_000);
  expect(startAt(second)).toBeGreaterThan(startAt(first));
  expect(startAt(capped) - createdAt).toBeLessThanOrEqual(5_000);
  expect(alone.body.id).toBe(first.body.id);
  expect(contents(alone.body)).toEqual(['One', 'Two', 'Three', 'Four']);

  await harness.workUntilIdle();
  expect((await harness.findTurn(alone.body.id)).status).toBe('queued');
  await harness.advance(61_000);
  await harness.queueDelayed();
  const done = await workUntilEnded(harness, alone.body.id);
  expect([done.status, done.start_at === null, contents(done).length]).toEqual(['completed', false, 4]);
  expect((await harness.listEvents(done.id)).filter(({ type }) => type === 'turn.queued')).toHaveLength(1);
});

test('debounce_ms requires merge', async ({ harness }) => {
  const { conversation_id: id } = await harness.startTurn({ input: 'Hi' });

  const refused = await merge(harness, id, { input: 'So?', on_active_turn: 'steer', debounce_ms: 10 });
  const long = await merge(harness, id, { input: 'So?', debounce_ms: 60_001 });

  expect(describeRefusal(refused)).toMatch(/^400 invalid_value/);
  expect([refused.body, long.body]).toMatchObject([
    { error: { param: 'debounce_ms' } },
    { error: { param: 'debounce_ms' } },
  ]);
});
