import { expect } from 'vitest';
import { openStream } from '#test/api/stream/open-stream.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const input = scripted({ answer: 'One word after the other.', piece_chars: 2, pace_ms: 20 });

test('a turn without watchers publishes only durable events', async ({ harness }) => {
  const { id } = await harness.startTurn({ input });
  const published: string[] = [];
  const { pubsub } = harness.parts;
  pubsub.subscribeToWakes({ wake: ({ turnId }) => turnId === id && published.push('wake'), missed: () => {} });
  pubsub.subscribeToEvents(id, () => published.push('event'));

  const waiting = harness.call('GET', `/v1/turns/${id}?wait=30`);
  await harness.workUntilIdle();
  await waiting;
  await waitUntil(() => expect(published).toContain('wake'));

  expect(published).not.toContain('event');
});

test('a turn with a watcher publishes its text as it arrives', async ({ harness }) => {
  const { id } = await harness.startTurn({ input });

  const stream = await openStream(`${harness.url}/v1/turns/${id}/events`, {});
  await harness.untilReceived('catch-up', id);
  await harness.workUntilIdle();
  await stream.over;

  expect(stream.seen.map(({ type }) => type)).toContain('output_text.delta');
});
