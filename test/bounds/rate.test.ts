import { expect, test } from 'vitest';
import { paceSource, startRate } from '#core/bounds/rate.ts';

/** Starts a rate that is too slow for a second item within a test. */
const rateOf = (burst: number) => startRate({ burst, perSecond: 1e-4 });
const own = { burst: 20, perSecond: 1e-4 };

test('a source within its own bound does not wait while another exceeds the total', async () => {
  const shared = rateOf(100);
  const [loud, quiet] = [paceSource(shared, own), paceSource(shared, own)];
  const paced: string[] = [];

  void loud.pace(1_000).then(() => paced.push('loud'));
  for (let number = 0; number < 20; number += 1) await quiet.pace(1);

  expect(paced).toEqual([]);
});

test('items above the bounds of all sources count together, and wait', async () => {
  const shared = rateOf(100);
  const sources = Array.from({ length: 5 }, () => paceSource(shared, own));

  for (const source of sources) await source.pace(40);

  expect(shared.excess(1)).toBe(1);
});

test('a rate omits the items above it, and counts only the items within it', () => {
  const rate = rateOf(100);

  expect([rate.excess(70), rate.excess(70), rate.admits()]).toEqual([0, 40, false]);
});
