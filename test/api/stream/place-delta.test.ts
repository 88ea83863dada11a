import { expect, test } from 'vitest';
import { insertDelta } from '#services/api/stream/round-buffer.ts';

const nothing = { text: '', early: [] };

test('a chunk that overlaps what is known is cut to what is new', () => {
  const known = insertDelta(nothing, { offset: 0, delta: 'Hello' });

  expect(insertDelta(known, { offset: 3, delta: 'lo, you' })).toEqual({ text: 'Hello, you', early: [] });
  expect(insertDelta(known, { offset: 1, delta: 'ell' })).toEqual(known);
});

test('chunks that come too early wait for their turn, in any order', () => {
  const parts = [
    { offset: 4, delta: 'ef' },
    { offset: 2, delta: 'cd' },
    { offset: 0, delta: 'ab' },
  ];

  expect(parts.reduce(insertDelta, nothing)).toEqual({ text: 'abcdef', early: [] });
});

test('a bounded number of early chunks is kept', () => {
  const early = Array.from({ length: 1_000 }, (_, index) => ({ offset: index + 1, delta: 'x' }));

  expect(early.reduce(insertDelta, nothing).early.length).toBeLessThan(100);
});
