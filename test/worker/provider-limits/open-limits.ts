import { sql } from 'kysely';
import type { Window } from '#core/checkpoint/provider-limits/window.ts';
import { sumOf } from '#core/checkpoint/provider-limits/window.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { workerContext } from '#services/worker/context.ts';
import { jobHandler } from '#services/worker/job-handler.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

type Limits = Record<string, Record<string, number>>;

/** A harness whose operator has set these limits of models. */
export function openLimits(limits: Limits, env: Record<string, string> = {}): Promise<Harness> {
  return createHarness({ env: { PAWL_PROVIDER_LIMITS: JSON.stringify(limits), ...env } });
}

/** The work of a second worker of the same database, which has rate limits, caches and averages of its own. */
export function secondWorker({ parts, settings, log }: Harness): JobHandler {
  return jobHandler(workerContext(parts, settings, log));
}

/** Starts as many turns as there are inputs, each a conversation of its own. */
export async function startTurns(harness: Harness, count: number, own: object = {}): Promise<TurnResource[]> {
  const turns: TurnResource[] = [];
  for (let nth = 0; nth < count; nth += 1) turns.push(await harness.startTurn({ input: 'Hi', ...own }));
  return turns;
}

/** A minute, and as long as a turn may be late that comes by itself: its delayed job does not age. */
const MINUTE_MS = 66_000;

/** Lets a minute pass: turns for which there is room then are woken, or come by themselves, and are worked. */
export async function passMinute(harness: Harness): Promise<void> {
  await harness.advance(MINUTE_MS);
  await harness.wakeWaiting();
  await harness.rescue();
  await harness.workUntilIdle();
}

/** The statuses of turns, in order. */
export async function statusesOf(harness: Harness, turns: readonly { id: string }[]): Promise<string[]> {
  const found = await Promise.all(turns.map(({ id }) => harness.findTurn(id)));
  return found.map(({ status }) => status);
}

export type LimitedRow = { attempts: number; waited_ms: number; rate_limited: boolean; starts: number };

/** What the row of a turn says about its wait. */
export async function rowOf({ db }: Harness, id: string): Promise<LimitedRow> {
  const { rows } = await sql<LimitedRow>`
    select attempts, waited_ms, rate_limited, starts from turn_states where id = ${id}`.execute(db);
  return rows[0]!;
}

/** The requests and tokens that are booked under a limit. */
export async function bookedUnder({ db }: Harness, name: string): Promise<{ requests: number; tokens: number } | null> {
  const { rows } = await sql<{ requests: Window; tokens: Window }>`
    select requests, tokens from provider_limits where name = ${name}`.execute(db);
  return rows.map(({ requests, tokens }) => ({ requests: sumOf(requests), tokens: sumOf(tokens) })).at(0) ?? null;
}
