import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { shareReplies } from '#core/bounds/reply-share.ts';

const MIB = 1024 * 1024;

test('an answer that fills the shared memory is ended, and small answers are read', () => {
  const large = shareReplies();
  const small = shareReplies();
  const fill = () => {
    for (let mebibytes = 0; mebibytes < 1024 * 1024; mebibytes += 1) {
      const excess = large.take(MIB);
      if (excess) return excess;
    }
    return null;
  };

  expect(fill()).toMatch(/while other answers fill the memory of this worker/);
  expect(small.take(MIB)).toBeNull();
  large.release();
  small.release();

  expect(large.take(100 * MIB)).toBeNull();
  large.release();
});

test('all answers together have at most half of the heap', () => {
  const half = getHeapStatistics().heap_size_limit / 2;
  const bytes = Math.floor(half / 64);
  const shares = Array.from({ length: 200 }, () => shareReplies());

  const read = shares.filter((share) => share.take(bytes) === null);
  for (const share of shares) share.release();

  expect(read.length).toBeGreaterThan(60);
  expect(read.length * bytes).toBeLessThanOrEqual(half);
});
