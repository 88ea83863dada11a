import { expect, test } from 'vitest';
import { placeDelta } from '#services/api/watch/place-delta.ts';

const nothing = { text: '', early: [] };

test('a piece that overlaps what is known is cut to what is new', () => {
  const known = placeDelta(nothing, { offset: 0, delta: 'Hello' });

  expect(placeDelta(known, { offset: 3, delta: 'lo, you' })).toEqual({ text: 'Hello, you', early: [] });
  expect(placeDelta(known, { offset: 1, delta: 'ell' })).toEqual(known);
});

test('pieces that come before their turn wait for it, in whatever order', () => {
  const parts = [
    { offset: 4, delta: 'ef' },
    { offset: 2, delta: 'cd' },
    { offset: 0, delta: 'ab' },
  ];

  expect(parts.reduce(placeDelta, nothing)).toEqual({ text: 'abcdef', early: [] });
});

test('only so many early pieces are kept', () => {
  const early = Array.from({ length: 1_000 }, (_, index) => ({ offset: index + 1, delta: 'x' }));

  expect(early.reduce(placeDelta, nothing).early.length).toBeLessThan(100);
});
