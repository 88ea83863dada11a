import { expect, test } from 'vitest';
import { openStream } from '#test/api/open-stream.ts';
import { createWorld } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';

const input = scripted({ answer: 'One word after the other.', piece_chars: 2, pace_ms: 20 });

test('a turn that nobody streams tells only of what is durable', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input });
  const told: string[] = [];
  world.parts.live.watch(id, ({ kind }) => told.push(kind));

  const waiting = world.call('GET', `/v1/turns/${id}?wait=30`);
  await world.workUntilIdle();
  await waiting;

  expect(told).toContain('wake');
  expect(told).not.toContain('event');
});

test('once somebody streams it, its text is told as it comes', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input });

  const stream = await openStream(`${world.url}/v1/turns/${id}/events`, {});
  await world.hasHeard('catch-up', id);
  await world.workUntilIdle();
  await stream.over;

  expect(stream.seen.map(({ type }) => type)).toContain('output_text.delta');
});
