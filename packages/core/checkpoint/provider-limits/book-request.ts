import { type RawBuilder, sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db, Trx } from '../tables.ts';
import type { Window } from './window.ts';
import { roomInMs, windowAt, withAmount } from './window.ts';

/** A limit that all workers observe together. Requests with the same `name` share the limit. */
export type ProviderLimit = {
  name: string;
  requests_per_minute?: number | undefined;
  tokens_per_minute?: number | undefined;
  concurrency?: number | undefined;
};

/** Requests of a run for a round, and the tokens that they are likely to use. */
export type Booking = {
  limits: readonly ProviderLimit[];
  turnId: string;
  runId: string;
  requests: number;
  tokens: number;
};

/**
 * The result of a booking: booked at a time in milliseconds since 1970, by the database's clock, or full. A full
 * result has the name of the limit and the wait, if known.
 */
export type Booked = { kind: 'booked'; at: number } | { kind: 'full'; name: string; waitMs: number | null };

/**
 * Books requests under all of the limits, or under none. Locks the limits in one order, so that all workers observe
 * them together. A slot of `concurrency` counts while its run has the lease. Turns that have waited longer are first.
 */
export async function bookRequest(db: Db, booking: Booking): Promise<Booked> {
  const names = booking.limits.map(({ name }) => name).toSorted();
  const booked = await bookUnder(db, names, booking);
  if (booked) return booked;
  // In a separate commit: a transaction that also locks rows could deadlock with another transaction.
  await write(db, sql`insert into provider_limits (name) ${named(names)} on conflict do nothing`);
  return await bookRequest(db, booking);
}

/** Returns null if the row of a limit is missing. */
async function bookUnder(db: Db, names: string[], booking: Booking): Promise<Booked | null> {
  return await db.transaction().execute(async (trx) => {
    if (!(await lockLimits(trx, names))) return null;
    const rows = await readLimits(trx, names, booking);
    const [now = Date.now()] = rows.map((row) => row.now);
    const full = booking.limits.flatMap((limit) => waitFor(limit, rows, booking));
    const [longest] = full.toSorted((one, other) => (other.waitMs ?? 0) - (one.waitMs ?? 0));
    if (longest) return { kind: 'full', ...longest };
    await writeBooking(trx, rows, { ...booking, now });
    return { kind: 'booked', at: now };
  });
}

type LimitRow = {
  name: string;
  requests: Window;
  tokens: Window;
  /** The number of other runs with a slot and the lease. */
  running: number;
  /** The number of other turns that wait and have not been woken. */
  waiting: number;
  now: number;
};

/** Selects the names of limits. They are not ids: a pattern may begin with any character. */
function named(names: readonly string[]): RawBuilder<string> {
  return sql`select json_array_elements_text(${names}::json)`;
}

/** Locks the rows of limits. Returns whether all rows exist. */
async function lockLimits(trx: Trx, names: string[]): Promise<boolean> {
  const { rows } = await sql`
    select from provider_limits where name in (${named(names)}) order by name for no key update`.execute(trx);
  return rows.length === names.length;
}

/** Reads the limits in a separate statement, which sees the commits of earlier holders of the locks. */
async function readLimits(trx: Trx, names: string[], { turnId, runId }: Booking): Promise<LimitRow[]> {
  const { rows } = await sql<LimitRow>`
    select name, requests, tokens, (extract(epoch from clock_timestamp()) * 1000)::double precision as now,
      (select count(*)::int from provider_slots join work on work.id = turn_id
        where limit_name = name and run_id <> ${runId} and lease_owner = run_id and lease_until > clock_timestamp()) as running,
      (select count(*)::int from provider_waits
        where limit_name = name and turn_id <> ${turnId} and woken_at is null
          and since < coalesce((select since from provider_waits where turn_id = ${turnId}), now())) as waiting
    from provider_limits where name in (${named(names)})`.execute(trx);
  return rows;
}

/** Returns the wait of a booking under a limit, or an empty list if the limit has room. */
function waitFor(limit: ProviderLimit, rows: LimitRow[], { requests, tokens }: Booking) {
  const row = rows.find(({ name }) => name === limit.name);
  if (!row) return [];
  const { now } = row;
  const most = { requests: limit.requests_per_minute, tokens: limit.tokens_per_minute, slots: limit.concurrency };
  const forRequests = most.requests ? roomInMs(row.requests, { now, most: most.requests, amount: requests }) : 0;
  const forTokens = most.tokens ? roomInMs(row.tokens, { now, most: most.tokens, amount: tokens }) : 0;
  const waitMs = Math.max(forRequests, forTokens);
  const lacksSlot = most.slots !== undefined && row.running >= most.slots;
  if (waitMs === 0 && !lacksSlot && row.waiting === 0) return [];
  return [{ name: limit.name, waitMs: waitMs > 0 ? waitMs + spacingMs(limit, tokens) * row.waiting : null }];
}

/** Returns the time between the returns of two waiting turns. */
function spacingMs({ requests_per_minute: requests, tokens_per_minute: most }: ProviderLimit, tokens: number): number {
  return Math.max(requests ? 60_000 / requests : 0, most ? (60_000 * Math.min(tokens, most)) / most : 0);
}

async function writeBooking(
  trx: Trx,
  rows: LimitRow[],
  { limits, turnId, runId, requests, tokens, now }: Booking & { now: number },
): Promise<void> {
  const windows = rows.map((row) => {
    const limit = limits.find(({ name }) => name === row.name);
    return {
      name: row.name,
      requests: limit?.requests_per_minute ? withAmount(windowAt(row.requests, now), now, requests) : {},
      tokens: limit?.tokens_per_minute ? withAmount(windowAt(row.tokens, now), now, tokens) : {},
    };
  });
  const slots = limits.filter(({ concurrency }) => concurrency !== undefined).map(({ name }) => name);
  await sql`
    with booked as (
      update provider_limits set requests = booked.requests, tokens = booked.tokens
      from json_to_recordset(${windows}::json) as booked (name text, requests json, tokens json)
      where provider_limits.name = booked.name
    ),
    come as (delete from provider_waits where turn_id = ${turnId}),
    over as (
      delete from provider_slots where limit_name in (${named(slots)}) and turn_id <> ${turnId} and not exists (
        select from work where id = turn_id and lease_owner = run_id and lease_until > clock_timestamp())
    )
    insert into provider_slots (limit_name, turn_id, run_id)
    select name, ${turnId}, ${runId} from (${named(slots)} as name) as slot
    on conflict (limit_name, turn_id) do update set run_id = excluded.run_id`.execute(trx);
}

/** The difference between the actual use and a booking at `at`, in milliseconds since 1970. */
export type Correction = { limits: readonly ProviderLimit[]; at: number; requests: number; tokens: number };

export async function correctBooking(db: Db, { limits, at, requests, tokens }: Correction): Promise<void> {
  const names = limits.map(({ name }) => name).toSorted();
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ name: string; requests: Window; tokens: Window }>`
      select name, requests, tokens from provider_limits where name in (${named(names)})
      order by name for no key update`.execute(trx);
    const windows = rows.map((row) => ({
      name: row.name,
      requests: withAmount(row.requests, at, requests),
      tokens: withAmount(row.tokens, at, tokens),
    }));
    await sql`
      update provider_limits set requests = corrected.requests, tokens = corrected.tokens
      from json_to_recordset(${windows}::json) as corrected (name text, requests json, tokens json)
      where provider_limits.name = corrected.name`.execute(trx);
  });
}
