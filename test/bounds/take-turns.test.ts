import { expect, test } from 'vitest';
import { takeTurns } from '#core/bounds/take-turns.ts';

test('projects take turns, with any number of tasks each', () => {
  const waiting = takeTurns<string>();
  for (const task of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) waiting.add(task.slice(0, 1), task);

  const order = Array.from({ length: 7 }, () => waiting.take(() => true));

  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
});

test('a project with a task that may not run yet is skipped, and keeps its turn', () => {
  const waiting = takeTurns<string>();
  for (const task of ['a1', 'b1', 'b2']) waiting.add(task.slice(0, 1), task);

  const passed = waiting.take((project) => project !== 'a');
  const then = [waiting.take(() => true), waiting.take(() => true)];

  expect([passed, ...then]).toEqual(['b1', 'a1', 'b2']);
});
