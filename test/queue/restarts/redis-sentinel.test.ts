import { expect, test } from 'vitest';
import { openSentinels } from '#test/harness/stores/redis/open-sentinels.ts';
import { openBookings } from './bookings.ts';

test('Sentinels promote the replica of a killed master: turns finish, tools run once', {
  timeout: 180_000,
}, async ({ skip }) => {
  await using sentinels = await openSentinels();
  if (!sentinels) return skip('no redis-server on the PATH');
  await using bookings = await openBookings();
  await using service = await bookings.serve(sentinels.url);

  await service.start('abcd');
  await bookings.booked(2);
  await sentinels.master.kill();
  await service.start('efgh');
  await bookings.untilAllBooked(service);
  await service.start('i');
  await bookings.untilAllBooked(service);

  expect(await sentinels.replica.client.info('replication')).toContain('role:master');
  // The jobs of the last turn were sent to the new master.
  expect(await sentinels.replica.client.keys('pawl:*:meta')).not.toEqual([]);
});
