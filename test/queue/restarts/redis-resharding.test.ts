import { expect, test } from 'vitest';
import { openCluster, type TestCluster } from '#test/harness/stores/redis/open-cluster.ts';
import type { TestRedis } from '#test/harness/stores/redis/open-redis.ts';
import { openBookings } from './bookings.ts';

const KEY = '{pawl}';

test('the slot of the jobs moves under load: turns finish, and each tool runs once', {
  timeout: 180_000,
}, async ({ skip }) => {
  await using cluster = await openCluster();
  if (!cluster) return skip('no redis-server on the PATH');
  await using bookings = await openBookings();
  await using service = await bookings.serve(cluster.url);
  const owners = [(await cluster.masterOf(KEY)).port];

  await service.start('abcdefgh');
  await bookings.booked(4);
  await moveSlot(cluster);
  owners.push((await cluster.masterOf(KEY)).port);
  await service.start('ijklmnop');
  await bookings.booked(20);
  await moveSlot(cluster);
  owners.push((await cluster.masterOf(KEY)).port);
  await bookings.untilAllBooked(service);
  await service.start('qr');
  await bookings.untilAllBooked(service);

  expect(new Set(owners).size).toBeGreaterThan(1);
  // The jobs of the last turns were sent to the new node of the slot.
  expect(await (await cluster.masterOf(KEY)).client.keys('{pawl}:*:meta')).not.toEqual([]);
});

/** Moves the slot of the jobs, key by key, to another master, like `redis-cli --cluster reshard`. */
async function moveSlot(cluster: TestCluster): Promise<void> {
  const from = await cluster.masterOf(KEY);
  const masters = cluster.nodes.slice(0, 3);
  const to = masters.find(({ port }) => port !== from.port)!;
  const slot = Number(await from.client.call('cluster', 'keyslot', KEY));
  const [fromId, toId] = [await idOf(from), await idOf(to)];
  await to.client.call('cluster', 'setslot', slot, 'importing', fromId);
  await from.client.call('cluster', 'setslot', slot, 'migrating', toId);
  for (let keys = await keysIn(from, slot); keys.length > 0; keys = await keysIn(from, slot))
    await from.client.call('migrate', '127.0.0.1', to.port, '', 0, 5_000, 'keys', ...keys);
  for (const node of [to, from, ...masters]) await node.client.call('cluster', 'setslot', slot, 'node', toId);
}

async function idOf({ client }: TestRedis): Promise<string> {
  return String(await client.call('cluster', 'myid'));
}

/** Moves a few keys at a time, so that commands meet a slot with keys on two nodes. */
async function keysIn({ client }: TestRedis, slot: number): Promise<string[]> {
  return (await client.call('cluster', 'getkeysinslot', slot, 3)) as string[];
}
