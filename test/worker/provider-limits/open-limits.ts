import { sql } from 'kysely';
import type { Window } from '#core/checkpoint/provider-limits/window.ts';
import { sumOf } from '#core/checkpoint/provider-limits/window.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { workerContext } from '#services/worker/context.ts';
import { jobHandler } from '#services/worker/job-handler.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

type Limits = Record<string, Record<string, number>>;

export function openLimits(limits: Limits, env: Record<string, string> = {}): Promise<Harness> {
  return createHarness({ env: { PAWL_PROVIDER_LIMITS: JSON.stringify(limits), ...env } });
}

/** Returns the handler of a second worker on the same database, with its own rate limits, caches and averages. */
export function secondWorker({ parts, settings, log }: Harness): JobHandler {
  return jobHandler(workerContext(parts, settings, log));
}

/** Starts this number of turns, each in its own conversation. */
export async function startTurns(harness: Harness, count: number, own: object = {}): Promise<TurnResource[]> {
  const turns: TurnResource[] = [];
  for (let nth = 0; nth < count; nth += 1) turns.push(await harness.startTurn({ input: 'Hi', ...own }));
  return turns;
}

/** A minute, plus the longest delay of a turn that wakes up by its delayed job. The delayed job does not age. */
const MINUTE_MS = 66_000;

/** Lets a minute pass, wakes the turns with room under their limits, and runs them. */
export async function passMinute(harness: Harness): Promise<void> {
  await harness.advance(MINUTE_MS);
  await harness.wakeWaiting();
  await harness.rescue();
  await harness.workUntilIdle();
}

export async function statusesOf(harness: Harness, turns: readonly { id: string }[]): Promise<string[]> {
  const found = await Promise.all(turns.map(({ id }) => harness.findTurn(id)));
  return found.map(({ status }) => status);
}

export type LimitedRow = { attempts: number; waited_ms: number; rate_limited: boolean; starts: number };

/** Returns the wait columns in the row of a turn. */
export async function rowOf({ db }: Harness, id: string): Promise<LimitedRow> {
  const { rows } = await sql<LimitedRow>`
    select attempts, waited_ms, rate_limited, starts from turn_states where id = ${id}`.execute(db);
  return rows[0]!;
}

export async function bookedUnder({ db }: Harness, name: string): Promise<{ requests: number; tokens: number } | null> {
  const { rows } = await sql<{ requests: Window; tokens: Window }>`
    select requests, tokens from provider_limits where name = ${name}`.execute(db);
  return rows.map(({ requests, tokens }) => ({ requests: sumOf(requests), tokens: sumOf(tokens) })).at(0) ?? null;
}
