import { type RawBuilder, sql } from 'kysely';
import { expect } from 'vitest';
import { wakeWaiting } from '#core/checkpoint/provider-limits/wake-waiting.ts';
import { NAME, openLimited, test } from './open-limited.ts';

const limits = [{ name: NAME, requests_per_minute: 3 }];
/** Ends turns like a cancellation. */
const cancel = (which: RawBuilder<unknown>) => sql`
  with ended as (delete from work where ${which} returning id)
  update turns set status = 'cancelled', completed_at = now() from ended where turns.id = ended.id`;
const idsOf = (wakeups: { turnId: string }[]) => wakeups.map(({ turnId }) => turnId);

test('waiting turns are woken in order of arrival, as many as there is room for', async ({ limited }) => {
  const { book, db, addWaiter, age } = limited;
  for (let nth = 0; nth < 3; nth += 1) await book({ limits });
  const turns = [];
  for (let nth = 0; nth < 5; nth += 1) turns.push(await addWaiter());

  const whileFull = await wakeWaiting(db, limits);
  await age(60_500);
  const woken = await wakeWaiting(db, limits);
  const again = await wakeWaiting(db, limits);

  expect([whileFull, again]).toEqual([[], []]);
  expect(idsOf(woken).toSorted()).toEqual(turns.slice(0, 3).toSorted());
  expect((await limited.waiting()).map(({ isWoken }) => isWoken)).toEqual([true, true, true, false, false]);
});

test('two workers that check at the same time wake each turn once', async ({ limited: { db, otherDb, addWaiter } }) => {
  for (let nth = 0; nth < 8; nth += 1) await addWaiter();

  const looks = await Promise.all([1, 2, 3, 4].map((nth) => wakeWaiting(nth % 2 ? db : otherDb, limits)));

  const woken = idsOf(looks.flat());
  expect(new Set(woken).size).toBe(woken.length);
});

test('a woken turn that books leaves the waiting list, or keeps its position', async ({ limited }) => {
  const { book, db, addWaiter, age, waitAgain } = limited;
  const [first, second, third] = [await addWaiter(), await addWaiter(), await addWaiter()];
  await wakeWaiting(db, [{ name: NAME, requests_per_minute: 2 }]);

  const booked = await book({ limits: [{ name: NAME, requests_per_minute: 1 }], turnId: first });
  const full = await book({ limits: [{ name: NAME, requests_per_minute: 1 }], turnId: second });
  await waitAgain(second);
  await age(60_500);

  expect([booked.kind, full.kind]).toEqual(['booked', 'full']);
  expect(await limited.waiting()).toEqual([second, third].map((turnId) => ({ turnId, isWoken: false })));
  expect((await book({ limits, turnId: third })).kind).toBe('full');
  expect((await book({ limits, turnId: second })).kind).toBe('booked');
  expect((await book({ limits, turnId: third })).kind).toBe('booked');
});

test('a turn that checks for room while others are woken is woken again with room', async ({ limited }) => {
  const { db, addWaiter, waitAgain } = limited;
  const limit = [{ name: NAME, concurrency: 5 }];
  const turnId = await addWaiter();
  await wakeWaiting(db, limit);

  await waitAgain(turnId, () => wakeWaiting(db, limit));

  expect(await limited.waiting()).toEqual([{ turnId, isWoken: false }]);
  expect(await wakeWaiting(db, limit)).toMatchObject([{ turnId }]);
});

test('a new turn does not overtake turns that wait, although there is room', async ({
  limited: { book, addWaiter },
}) => {
  const first = await addWaiter();

  const next = await book({ limits });
  const own = await book({ limits, turnId: first });

  expect(next).toEqual({ kind: 'full', name: NAME, waitMs: null });
  expect(own.kind).toBe('booked');
  expect((await book({ limits })).kind).toBe('booked');
});

test('a turn that was woken and does not book delays the others for two seconds', async ({ limited }) => {
  const { db, addWaiter, age } = limited;
  const one = [{ name: NAME, concurrency: 1 }];
  const [first, second] = [await addWaiter(), await addWaiter()];

  const woken = [await wakeWaiting(db, one), await wakeWaiting(db, one)];
  await age(2_500);
  const later = [await wakeWaiting(db, one), await wakeWaiting(db, one)];
  await age(2_500);

  expect(woken.map(idsOf)).toEqual([[first], []]);
  expect([...later, await wakeWaiting(db, one)].flatMap(idsOf)).toContain(second);
});

test.each([
  ['was cancelled', (id: string) => cancel(sql`id = ${id}`)],
  [
    'runs another step',
    (id: string) => sql`update work set step = 'r2', rate_limited = false, retry_at = null where id = ${id}`,
  ],
])('a turn that %s leaves the waiting list', async (_, change) => {
  await using limited = await openLimited();
  const { book, db, addWaiter } = limited;
  const [first, second] = [await addWaiter(), await addWaiter()];
  await change(first).execute(db);

  const woken = [...(await wakeWaiting(db, limits)), ...(await wakeWaiting(db, limits))];

  expect(idsOf(woken)).toEqual([second]);
  expect(await limited.waiting()).toEqual([{ turnId: second, isWoken: true }]);
  expect((await book({ limits })).kind).toBe('booked');
});

test('a hundred cancelled turns in the waiting list hold up a slot for one check', async ({ limited }) => {
  const { db, addWaiter } = limited;
  for (let nth = 0; nth < 100; nth += 1) await addWaiter();
  await cancel(sql`true`).execute(db);
  const last = await addWaiter();

  const woken = await wakeWaiting(db, [{ name: NAME, concurrency: 1 }]);
  const next = await wakeWaiting(db, [{ name: NAME, concurrency: 1 }]);

  expect(idsOf([...woken, ...next])).toEqual([last]);
});

test('a turn without a row leaves the waiting list', async ({ limited }) => {
  const { db, addWaiter } = limited;
  const first = await addWaiter();
  await sql`delete from turns where id = ${first}`.execute(db);

  expect(await wakeWaiting(db, limits)).toEqual([]);
  expect(await limited.waiting()).toEqual([]);
});

test('a turn that waits after a rate limit wakes up at its time, and is not woken', async ({ limited }) => {
  const { book, db, addWaiter, age } = limited;
  const first = await addWaiter();
  await wakeWaiting(db, limits);
  await sql`update work set generation = generation + 1, retry_at = now() + interval '1 minute'`.execute(db);
  const second = await addWaiter();

  const woken = await wakeWaiting(db, limits);
  await age(10_000);
  const later = await wakeWaiting(db, limits);

  expect([woken, later].map(idsOf)).toEqual([[second], []]);
  expect((await limited.waiting()).map(({ turnId }) => turnId)).toEqual([first, second]);
  expect((await book({ limits, turnId: second })).kind).toBe('booked');
  expect((await book({ limits, turnId: first })).kind).toBe('booked');
});

test('a turn that wakes up by itself or waits for its project keeps its position', async ({ limited }) => {
  const { book, db, addWaiter, age } = limited;
  const turns = [await addWaiter(), await addWaiter(), await addWaiter()];
  const [own, slow, last] = turns as [string, string, string];
  await sql`update work set retry_at = now() where id = ${own}`.execute(db);
  await sql`update work set retry_at = now(), slot = 'wanted', generation = generation + 2 where id = ${slow}`.execute(
    db,
  );

  await wakeWaiting(db, [{ name: NAME, requests_per_minute: 2 }]);
  await age(10_000);
  await wakeWaiting(db, [{ name: NAME, requests_per_minute: 2 }]);

  expect((await limited.waiting()).map(({ turnId }) => turnId)).toEqual([own, slow, last]);
  expect((await book({ limits, turnId: slow })).kind).toBe('booked');
  expect((await book({ limits, turnId: own })).kind).toBe('booked');
});

test('turns that need tokens and several requests are woken if they fit together', async ({ limited }) => {
  const { book, db, addWaiter, age } = limited;
  const most = [{ name: NAME, tokens_per_minute: 1_000, requests_per_minute: 100 }];
  await book({ limits: most, tokens: 500, requests: 92 });
  const turns = [];
  for (const tokens of [200, 200, 200, 10]) turns.push(await addWaiter({ tokens, requests: 3 }));

  const byTokens = await wakeWaiting(db, most);
  await age(3_000);
  const byRequests = await wakeWaiting(db, [{ name: NAME, requests_per_minute: 97 }]);

  expect(idsOf(byTokens).toSorted()).toEqual(turns.slice(0, 2).toSorted());
  expect(idsOf(byRequests)).toEqual([turns[2]]);
});

test('a turn that needs more than its limit is woken alone, with no other booking', async ({ limited }) => {
  const { book, db, addWaiter, age } = limited;
  const most = [{ name: NAME, tokens_per_minute: 1_000 }];
  await book({ limits: most, tokens: 1 });
  const [large] = [await addWaiter({ tokens: 50_000 }), await addWaiter({ tokens: 1 })];

  const whileBooked = await wakeWaiting(db, most);
  await age(60_500);
  const woken = await wakeWaiting(db, most);

  expect(whileBooked).toEqual([]);
  expect(idsOf(woken)).toEqual([large]);
  expect(await wakeWaiting(db, most)).toEqual([]);
});

test('turns of a limit that is no longer configured are all woken', async ({ limited: { db, addWaiter } }) => {
  const turns = [await addWaiter({ name: 'gone/*' }), await addWaiter({ name: 'gone/*' })];

  expect(idsOf(await wakeWaiting(db, limits)).toSorted()).toEqual(turns.toSorted());
});
