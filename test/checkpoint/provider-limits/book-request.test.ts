import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Booked, correctBooking } from '#core/checkpoint/provider-limits/book-request.ts';
import { NAME, test } from './open-limited.ts';

const perMinute = (requests: number) => [{ name: NAME, requests_per_minute: requests }];
const tokens = (most: number) => [{ name: NAME, tokens_per_minute: most }];
const isBooked = ({ kind }: Booked) => kind === 'booked';
const times = (count: number) => Array.from({ length: count }, (_, nth) => nth);

test('of 50 concurrent bookings by two processes a limit accepts exactly its amount', async ({ limited }) => {
  const { book, db, otherDb } = limited;

  const booked = await Promise.all(times(50).map((nth) => book({ limits: perMinute(17) }, nth % 2 ? db : otherDb)));

  expect(booked.filter(isBooked)).toHaveLength(17);
  expect(await limited.booked()).toEqual([17, 0]);
  for (const one of booked.filter(({ kind }) => kind === 'full')) expect(one).toMatchObject({ name: NAME });
});

test('concurrent bookings under several new limits, named in any order, all end', async ({ limited }) => {
  const { book, db, otherDb } = limited;
  const named = ['c/*', 'a/*', 'b/*', 'Z/*', 'zzz/a', 'é*'].map((name) => ({ name, requests_per_minute: 11 }));

  const booked = await Promise.all(
    times(50).map((nth) => {
      const limits = nth % 3 ? named.toReversed() : named.slice(nth % 5);
      return book({ limits: [...limits, ...perMinute(30)] }, nth % 2 ? db : otherDb);
    }),
  );

  expect(booked.filter(isBooked)).toHaveLength(11);
  expect(await limited.booked('é*')).toEqual([11, 0]);
});

test('a booking under several limits is made under all limits or under none', async ({ limited }) => {
  const { book } = limited;
  const narrow = { name: 'openai/gpt', requests_per_minute: 2 };
  const limits = [...perMinute(5), narrow];

  const booked = await Promise.all(times(4).map(() => book({ limits })));
  const ofOthers = await Promise.all(times(5).map(() => book({ limits: perMinute(5) })));

  expect(booked.map(({ kind }) => kind).toSorted()).toEqual(['booked', 'booked', 'full', 'full']);
  expect(booked.filter(({ kind }) => kind === 'full')).toMatchObject([{ name: 'openai/gpt' }, { name: 'openai/gpt' }]);
  expect(ofOthers.filter(isBooked)).toHaveLength(3);
  expect([await limited.booked(), await limited.booked('openai/gpt')]).toEqual([
    [5, 0],
    [2, 0],
  ]);
});

test('a booking under two full limits waits for the later limit', async ({ limited: { book, age } }) => {
  const [first, second] = [
    { name: 'a/*', requests_per_minute: 1 },
    { name: 'b/*', requests_per_minute: 1 },
  ];
  await book({ limits: [first] });
  await age(30_000);
  await book({ limits: [second] });

  const [inOrder, reversed] = [await book({ limits: [first, second] }), await book({ limits: [second, first] })];

  for (const full of [inOrder, reversed]) {
    expect(full).toMatchObject({ kind: 'full', name: 'b/*' });
    expect(full.kind === 'full' && full.waitMs).toBeGreaterThan(50_000);
  }
});

test('a limit has room a minute after its bookings, and announces that time', async ({ limited }) => {
  const { book, age } = limited;
  const limits = perMinute(2);
  await book({ limits });
  await age(20_000);
  await book({ limits });

  const full = await book({ limits });
  await age(40_500);
  const later = [await book({ limits }), await book({ limits })];

  expect(full.kind === 'full' && full.waitMs).toBeGreaterThan(35_000);
  expect(full.kind === 'full' && full.waitMs).toBeLessThanOrEqual(40_250);
  expect(later.map(({ kind }) => kind)).toEqual(['booked', 'full']);
});

test('a slot is free after its run commits, loses its lease, or loses the turn', async ({ limited }) => {
  const { book, db, lease, postpone } = limited;
  const limits = [{ name: NAME, concurrency: 1 }];
  const [committed, killed, replaced, last] = [await lease(), await lease(), await lease(), await lease()];
  const kinds: string[] = [];
  const take = async (leased: typeof last) => kinds.push((await book({ limits, ...leased })).kind);

  await take(committed);
  await take(killed);
  await postpone(committed);
  await take(killed);
  await take(replaced);
  await sql`update work set lease_until = now() - interval '1 millisecond' where id = ${killed.turnId}`.execute(db);
  await take(replaced);
  await take(last);
  await sql`update work set lease_owner = 'another' where id = ${replaced.turnId}`.execute(db);
  await take(last);

  expect(kinds).toEqual(['booked', 'full', 'booked', 'full', 'booked', 'full', 'booked']);
});

test('of 50 concurrent runs of two processes exactly as many get a slot as exist', async ({ limited }) => {
  const { book, db, otherDb, lease } = limited;
  const limits = [
    { name: NAME, concurrency: 5 },
    { name: 'openai/test', concurrency: 9, requests_per_minute: 500 },
  ];
  const runs = await Promise.all(times(50).map(() => lease()));

  const booked = await Promise.all(runs.map((run, nth) => book({ limits, ...run }, nth % 2 ? db : otherDb)));

  expect(booked.filter(isBooked)).toHaveLength(5);
  expect(await db.selectFrom('provider_slots').selectAll().execute()).toHaveLength(10);
});

test('a run that books twice takes one slot, and another run of its turn takes it over', async ({ limited }) => {
  const { book, db, lease } = limited;
  const limits = [{ name: NAME, concurrency: 1 }];
  const run = await lease();

  const first = await book({ limits, ...run });
  const again = await book({ limits, ...run });
  await sql`update work set lease_owner = 'next'`.execute(db);
  const next = await book({ limits, ...run, runId: 'next' });

  expect([first, again, next].map(({ kind }) => kind)).toEqual(['booked', 'booked', 'booked']);
  expect(await db.selectFrom('provider_slots').selectAll().execute()).toEqual([
    { limit_name: NAME, turn_id: run.turnId, run_id: 'next' },
  ]);
});

test('expired slots are removed', async ({ limited: { book, db, lease, postpone } }) => {
  const limits = [{ name: NAME, concurrency: 3 }];

  for (const _ of times(10)) {
    const run = await lease();
    await book({ limits, ...run });
    await postpone(run);
  }

  expect(await db.selectFrom('provider_slots').selectAll().execute()).toHaveLength(1);
});

test('a reply corrects the tokens of its booking, up and down', async ({ limited }) => {
  const { book, db } = limited;
  const limits = tokens(1_000);
  const [first, second] = [await book({ limits, tokens: 600 }), await book({ limits, tokens: 400 })];
  if (first.kind === 'full' || second.kind === 'full') throw new Error('there was no room');

  const before = await book({ limits, tokens: 1 });
  await correctBooking(db, { limits, at: first.at, requests: 0, tokens: -550 });
  const small = await book({ limits, tokens: 500 });
  await correctBooking(db, { limits, at: second.at, requests: 0, tokens: 300 });
  const after = await book({ limits, tokens: 1 });

  expect([before.kind, small.kind, after.kind]).toEqual(['full', 'booked', 'full']);
  expect((await limited.booked())?.[1]).toBe(1_250);
});

test('50 concurrent corrections by two processes are all kept', async ({ limited }) => {
  const { book, db, otherDb } = limited;
  const limits = [...tokens(1_000_000), { name: 'openai/test', requests_per_minute: 1_000 }];
  const booked = await Promise.all(times(50).map(() => book({ limits, requests: 3, tokens: 100 })));

  await Promise.all(
    booked.map((one, nth) => {
      if (one.kind === 'full') throw new Error('there was no room');
      const correction = { at: one.at, requests: -2, tokens: nth - 20 };
      return correctBooking(nth % 2 ? db : otherDb, { limits: limits.toReversed(), ...correction });
    }),
  );

  expect([(await limited.booked())?.[1], (await limited.booked('openai/test'))?.[0]]).toEqual([
    50 * 80 + (49 * 50) / 2,
    50,
  ]);
});

test('an amount above its limit waits until no other amount is booked', async ({ limited: { book, age } }) => {
  const limits = [{ name: NAME, tokens_per_minute: 100, requests_per_minute: 2 }];
  await book({ limits, tokens: 1 });

  const full = await book({ limits, tokens: 5_000, requests: 3 });
  await age(60_500);
  const alone = await book({ limits, tokens: 5_000, requests: 3 });
  const next = await book({ limits, tokens: 1 });

  expect([full.kind, alone.kind, next.kind]).toEqual(['full', 'booked', 'full']);
});

test('a changed limit counts earlier bookings', async ({ limited: { book } }) => {
  for (const _ of times(3)) await book({ limits: perMinute(5) });

  const less = await book({ limits: perMinute(3) });
  const more = await book({ limits: perMinute(4) });

  expect([less.kind, more.kind]).toEqual(['full', 'booked']);
});
