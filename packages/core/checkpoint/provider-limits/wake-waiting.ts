import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import { timing } from '../../turn/timing.ts';
import type { TurnWakeup } from '../../turn/wakeup.ts';
import { dueIn } from '../sql/due.ts';
import { hasSlot } from '../sql/slot.ts';
import { wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';
import type { ProviderLimit } from './book-request.ts';
import type { Window } from './window.ts';
import { sumOf, windowAt } from './window.ts';

/**
 * Wakes as many waiting turns as fit under limits with room, the longest wait first. A woken turn keeps its position
 * until it has booked. Its room is reserved for two seconds only, since the turn may also wait for a slot or a rate
 * limit. Returns the wakeups to enqueue.
 */
export async function wakeWaiting(db: Db, limits: readonly ProviderLimit[]): Promise<TurnWakeup[]> {
  const states = await readStates(db);
  const rooms = states.flatMap((state) => {
    const room = roomOf(state, limits);
    const isFull = [room.turns, room.requests, room.tokens].some((left) => left !== null && left <= 0);
    return isFull || state.waiting === 0 ? [] : [room];
  });
  if (states.some(({ isIdle }) => isIdle)) await removeWoken(db);
  return rooms.length > 0 ? await wake(db, rooms) : [];
}

/** Removes woken turns that no longer wait. Turns that were not woken are removed when they would be woken. */
async function removeWoken(db: Db): Promise<void> {
  await write(db, sql`delete from provider_waits where woken_at < now() - ${KEPT} and not ${mayCome}`);
}

/** The state of a limit: the booked requests and tokens, and the turns that run or wait under it. */
type LimitState = {
  name: string;
  requests: Window;
  tokens: Window;
  running: number;
  waiting: number;
  /** The woken turns with reserved room, and their needs. */
  woken: number;
  wokenRequests: number;
  wokenTokens: number;
  /** True if no turn waits to be woken, and no woken turn has reserved room. */
  isIdle: boolean;
  now: number;
};

/** The time for which room is reserved for a woken turn. */
const KEPT = sql`interval '2 seconds'`;

async function readStates(db: Db): Promise<LimitState[]> {
  const isKept = sql`woken_at >= now() - ${KEPT}`;
  const query = sql<LimitState>`
    select waits.*, waiting = 0 and woken = 0 as "isIdle", coalesce(limits.requests, '{}') as requests, coalesce(limits.tokens, '{}') as tokens,
      (extract(epoch from now()) * 1000)::double precision as now,
      (select count(*)::int from provider_slots join work on work.id = turn_id
        where provider_slots.limit_name = waits.name and lease_owner = run_id and lease_until > now()) as running
    from (
      select limit_name as name, count(*) filter (where woken_at is null)::int as waiting,
        count(*) filter (where ${isKept})::int as woken,
        coalesce(sum(requests) filter (where ${isKept}), 0)::double precision as "wokenRequests",
        coalesce(sum(tokens) filter (where ${isKept}), 0)::double precision as "wokenTokens"
      from provider_waits group by limit_name) as waits
    left join provider_limits as limits on limits.name = waits.name`;
  return read(db, query);
}

/** The room under a limit, null if it is unlimited. An amount above the limit counts as the whole limit. */
type Room = {
  name: string;
  turns: number | null;
  requests: number | null;
  tokens: number | null;
  mostRequests: number | null;
  mostTokens: number | null;
};

function roomOf(state: LimitState, limits: readonly ProviderLimit[]): Room {
  const limit = limits.find(({ name }) => name === state.name);
  const { requests_per_minute: mostRequests = null, tokens_per_minute: mostTokens = null } = limit ?? {};
  const left = (most: number | null, used: number) => (most === null ? null : most - used);
  const used = (window: Window) => sumOf(windowAt(window, state.now));
  return {
    ...{ name: state.name, mostRequests, mostTokens },
    turns: left(limit?.concurrency ?? null, state.running + state.woken),
    requests: left(mostRequests, used(state.requests) + state.wokenRequests),
    tokens: left(mostTokens, used(state.tokens) + state.wokenTokens),
  };
}

/** The maximum of turns of a limit that a statement examines. */
const MOST = 1_000;

/** The condition that a turn still waits. Such a turn returns even if it is not woken. */
const mayCome = sql<boolean>`exists (select from work where id = provider_waits.turn_id and rate_limited)`;

/**
 * Wakes the turns that fit. A turn without a slot becomes due and then requests a slot (R27). Removes the waits of
 * turns that no longer wait.
 */
async function wake(db: Db, rooms: Room[]): Promise<TurnWakeup[]> {
  const statement = sql<TurnWakeup & { isDue: boolean }>`
    with room as materialized (
      select * from json_to_recordset(${rooms}::json) as room (name text, turns int, requests double precision,
        tokens double precision, "mostRequests" double precision, "mostTokens" double precision)
    ),
    waiter as materialized (
      select turn_id, "mayCome", row_number() over w as nth, turns,
        sum(least(head.requests, "mostRequests")) over w <= room.requests as "fitsRequests",
        sum(least(head.tokens, "mostTokens")) over w <= room.tokens as "fitsTokens"
      from room cross join lateral (
        select turn_id, since, requests, tokens, ${mayCome} as "mayCome" from provider_waits
        where limit_name = room.name and woken_at is null order by since limit ${MOST}) as head
      window w as (partition by name, "mayCome" order by since, turn_id)
    ),
    next as materialized (
      select turn_id from provider_waits where woken_at is null and turn_id = any(array(
        select turn_id from waiter where "mayCome" and nth <= coalesce(turns, nth)
          and coalesce("fitsRequests", true) and coalesce("fitsTokens", true)))
      for no key update skip locked
    ),
    woken as (
      update work set retry_at = now(), generation = generation + 1,
        due_at = case when ${hasSlot} then ${dueIn(timing.graceMs)} else least(now(), deadline_at) end
      from next where work.id = next.turn_id and rate_limited and retry_at > now()
        and (lease_owner is null or lease_until < now())
      returning ${wakeupColumns}, ${hasSlot} as "isDue"
    ),
    kept as (update provider_waits set woken_at = now() from next where provider_waits.turn_id = next.turn_id),
    gone as (
      delete from provider_waits where turn_id = any(array(select turn_id from waiter where not "mayCome"))
        or (limit_name in (select name from room) and woken_at < now() - ${KEPT} and not ${mayCome})
    )
    select * from woken`;
  const rows = await write(db, statement);
  return rows.flatMap(({ isDue, ...wakeup }) => (isDue ? [wakeup] : []));
}
