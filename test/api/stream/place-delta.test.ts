import { expect, test } from 'vitest';
import { insertDelta } from '#services/api/stream/round-buffer.ts';

const nothing = { text: '', early: [] };

test('a chunk that overlaps the known text is cut to its new part', () => {
  const known = insertDelta(nothing, { offset: 0, delta: 'Hello' });

  expect(insertDelta(known, { offset: 3, delta: 'lo, you' })).toEqual({ text: 'Hello, you', early: [] });
  expect(insertDelta(known, { offset: 1, delta: 'ell' })).toEqual(known);
});

test('early chunks wait until the text before them arrives, in any order', () => {
  const parts = [
    { offset: 4, delta: 'ef' },
    { offset: 2, delta: 'cd' },
    { offset: 0, delta: 'ab' },
  ];

  expect(parts.reduce(insertDelta, nothing)).toEqual({ text: 'abcdef', early: [] });
});

test('the number of early chunks is bounded', () => {
  const early = Array.from({ length: 1_000 }, (_, index) => ({ offset: index + 1, delta: 'x' }));

  expect(early.reduce(insertDelta, nothing).early.length).toBeLessThan(100);
});
