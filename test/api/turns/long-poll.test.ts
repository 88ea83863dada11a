import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { test } from '#test/harness/test.ts';

test('a long poll answers when the turn ends', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  const polling = harness.call<TurnResource>('GET', `/v1/turns/${id}?wait=60`);
  await harness.workUntilIdle();
  const { status, headers, body } = await polling;

  expect([status, body.status]).toEqual([200, 'completed']);
  expect(headers.get('pawl-poll-after-ms')).toBeNull();
});

test('a long poll with after answers when the turn has a later event', async ({ harness }) => {
  const { id, last_event } = await harness.startTurn({ input: 'Look', tools: ['weather_lookup'] });

  const polling = harness.call<TurnResource>('GET', `/v1/turns/${id}?wait=60&after=${last_event}`);
  await harness.workOnce();
  const { headers, body } = await polling;

  expect(body.status).toBe('in_progress');
  expect(body.last_event).toBeGreaterThan(last_event);
  expect(Number(headers.get('pawl-poll-after-ms'))).toBeGreaterThan(0);
});

test('a long poll that times out returns the current turn', async ({ harness }) => {
  const turn = await harness.startTurn({ input: 'Hi' });

  const { status, body } = await harness.call('GET', `/v1/turns/${turn.id}?wait=0.05&after=99`);

  expect([status, body]).toEqual([200, turn]);
});
