import { expect, test } from 'vitest';
import { MemoryBusy, makeMemory } from '#services/worker/memory/memory.ts';
import { makeShares } from '#services/worker/memory/shares.ts';

const LONG_MS = 600_000;

test('shares of the memory are given in order when they are free', async () => {
  const shares = makeShares(100, LONG_MS);
  const order: string[] = [];
  const first = await shares.take(60);
  const take = async (name: string, bytes: number) => {
    const share = await shares.take(bytes);
    order.push(name);
    return share;
  };
  const [large, small] = [take('large', 80), take('small', 10)];
  await Promise.resolve();
  expect(order).toEqual([]);

  first?.[Symbol.dispose]();
  const [second] = await Promise.all([large, small]);

  expect(order).toEqual(['large', 'small']);
  expect([first?.hasWaited, second?.hasWaited]).toEqual([false, true]);
});

test('a share larger than the memory waits for all of the memory', async () => {
  const shares = makeShares(100, LONG_MS);
  const whole = await shares.take(1_000);
  whole?.[Symbol.dispose]();
  whole?.[Symbol.dispose]();
  expect(await shares.take(100)).not.toBeNull();
});

test('a share that is not free within the longest wait leaves the queue', async () => {
  const shares = makeShares(100, 1);
  const held = await shares.take(60);
  expect(await shares.take(80)).toBeNull();
  expect(await shares.take(40)).not.toBeNull();
  held?.[Symbol.dispose]();
});

test('a small history needs no memory share, and a large history waits or is refused', async () => {
  const memory = makeMemory(6_400, 1);
  await memory.takeHistory(6_400);
  await memory.takeHistory(100);
  await memory.takeBlobs(6_400);
  await expect(memory.takeHistory(101)).rejects.toThrow(MemoryBusy);
});
