import { expect, test } from 'vitest';
import { describeQueue } from '#test/harness/queues.ts';
import { BOUNDS, type Bound } from './bounds.ts';
import { checkBounds, showCounters } from './check-bounds.ts';
import { countTurns } from './count-turns.ts';

describeQueue(({ name, redis }) => {
  test('the counters of a turn stay within their bounds', async () => {
    const queue = redis ? 'redis' : 'postgres';

    const counters = await countTurns(queue);

    console.log(`${name}\n${showCounters(counters, BOUNDS)}`);
    expect(checkBounds(counters, BOUNDS, queue)).toEqual([]);
  });
});

test('a counter over its bound fails with the counter, the bound and a next step', () => {
  const bounds: Record<string, Bound> = {
    commits: { unit: 'a turn', atMost: 9, measured: 9 },
    'HOT updates of turns': { unit: '% of updates', atLeast: 70, measured: 75 },
    'sent to Redis': { unit: 'bytes a turn', on: 'redis', atMost: 100, measured: 90 },
  };

  const sentences = checkBounds({ commits: 10, 'HOT updates of turns': 0, 'ids made': 3 }, bounds, 'postgres');

  expect(sentences).toEqual([
    'commits: 10 a turn, but the bound is at most 9 (9 when it was set). Make the step cheaper, or raise the bound in ' +
      'test/counters/bounds.ts and give the reason in the commit.',
    'HOT updates of turns: 0 % of updates, but the bound is at least 70 (75 when it was set). Change the indexes to ' +
      'keep more updates HOT, or lower the bound in test/counters/bounds.ts and give the reason in the commit.',
    'ids made: 3, without a bound. Add a bound to test/counters/bounds.ts.',
  ]);
  expect(checkBounds({ commits: 9, 'HOT updates of turns': 70 }, bounds, 'redis')).toEqual([
    'sent to Redis: not measured. Delete the bound in test/counters/bounds.ts, or count it again.',
  ]);
});
