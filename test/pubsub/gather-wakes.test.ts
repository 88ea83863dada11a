import { expect, test } from 'vitest';
import { gatherWakes, receiveWakes } from '#core/pubsub/gather-wakes.ts';
import type { TurnWake } from '#core/pubsub/pubsub.ts';

const MOST_BYTES = 8_000;

test('many wakes fit into NOTIFY messages, and none is lost', () => {
  const wakes = gatherWakes();
  const turnIds = Array.from({ length: 250 }, (_, index) => `turn_${String(index).padStart(26, '0')}`);
  for (const turnId of turnIds) wakes.add({ turnId });

  const messages = wakes.take();

  expect(messages.flatMap(({ changed }) => changed)).toEqual(turnIds);
  for (const message of messages) expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(MOST_BYTES - 1_000);
  expect(wakes.take()).toEqual([]);
});

test('two wakes of a turn are merged, and the turn continues only if both say so', () => {
  const wakes = gatherWakes();
  const received: TurnWake[] = [];
  wakes.add({ turnId: 'ended', goesOn: true });
  wakes.add({ turnId: 'ended' });
  wakes.add({ turnId: 'ended', goesOn: true });
  wakes.add({ turnId: 'running', goesOn: true });

  for (const message of wakes.take()) {
    receiveWakes(message, { wake: (wake) => received.push(wake), missed: () => {} });
  }

  expect(received).toEqual([{ turnId: 'ended' }, { turnId: 'running', goesOn: true }]);
});

test('only the first wake asks its caller to take the wakes later', () => {
  const wakes = gatherWakes();

  const planned = [wakes.add({ turnId: 'one' }), wakes.add({ turnId: 'one' }), wakes.add({ turnId: 'other' })];
  wakes.take();

  expect(planned).toEqual([true, false, false]);
  expect(wakes.add({ turnId: 'one' })).toBe(true);
});
