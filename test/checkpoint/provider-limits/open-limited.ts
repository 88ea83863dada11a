import { sql } from 'kysely';
import { test as base } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import {
  type Booked,
  type Booking,
  bookRequest,
  type ProviderLimit,
} from '#core/checkpoint/provider-limits/book-request.ts';
import type { Waiter } from '#core/checkpoint/provider-limits/insert-wait.ts';
import type { Window } from '#core/checkpoint/provider-limits/window.ts';
import { sumOf } from '#core/checkpoint/provider-limits/window.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { selectTurn } from '#core/checkpoint/turns/reading/select.ts';
import { newId } from '#core/id.ts';
import { ageLimits } from '#test/harness/age-limits.ts';
import { opening } from '#test/harness/opening.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

/** The limit that most tests book under. */
export const NAME = 'openai/*';

type Own = Partial<Booking> & { limits: readonly ProviderLimit[] };

/** Opens a database by two pools, like two processes, with the verbs of limits. */
export async function openLimited() {
  const url = await createTestDatabase();
  const [one, other] = [connect(url), connect(url)];
  const { db } = one;
  const book = (own: Own, by: Db = db): Promise<Booked> =>
    bookRequest(by, { turnId: newId('turn'), runId: newId('evt'), requests: 1, tokens: 10, ...own });

  return {
    ...{ db, otherDb: other.db, book },
    /** Starts a turn and leases it to a run. */
    lease: () => leaseTurn(db),
    /** Starts a turn that waits for room under a limit. */
    addWaiter: async ({ name = NAME, requests = 1, tokens = 10 } = {}): Promise<string> => {
      const { turnId, runId } = await leaseTurn(db);
      await postpone(db, { turnId, runId }, { name, requests, tokens });
      return turnId;
    },
    /** Leases a turn that was woken, and postpones it again for lack of room. */
    waitAgain: async (turnId: string, onceLeased?: () => Promise<unknown>) => {
      const runId = newId('evt');
      const turn = await selectTurn(db, turnId, 'any');
      await takeLease(db, turn!, runId);
      await onceLeased?.();
      await postpone(db, { turnId, runId }, { name: NAME, requests: 1, tokens: 10 });
    },
    /** Postpones a leased turn for lack of room. */
    postpone: (leased: Leased) => postpone(db, leased),
    /** Lets time pass for bookings and waiting turns. */
    age: (ms: number) => ageLimits(db, ms),
    booked: async (name = NAME) => {
      const { rows } = await sql<{ requests: Window; tokens: Window }>`
        select requests, tokens from provider_limits where name = ${name}`.execute(db);
      return rows.map(({ requests, tokens }) => [sumOf(requests), sumOf(tokens)]).at(0);
    },
    /** Returns the turns that wait under a limit, in order of arrival, and whether each was woken. */
    waiting: async (name = NAME) => {
      const { rows } = await sql<{ turnId: string; isWoken: boolean }>`
        select turn_id as "turnId", woken_at is not null as "isWoken" from provider_waits
        where limit_name = ${name} order by since`.execute(db);
      return rows;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.close(), other.close()]);
    },
  };
}

/** A test that can use the verbs of limits on its own database. */
export const test = base.extend('limited', opening(openLimited));

export type Leased = { turnId: string; runId: string };

async function leaseTurn(db: Db): Promise<Leased> {
  const { id } = await createFirstTurn(
    db,
    {
      ...{ id: newId('turn'), conversationId: newId('conv'), project: 'default', priority: 0, metadata: {} },
      ...{ config: plainConfig, input: [{ role: 'user', content: 'Hi' }] },
    },
    { config: { model: plainConfig.model }, metadata: {} },
  );
  const runId = newId('evt');
  await beginTurn(db, id, runId);
  return { turnId: id, runId };
}

async function postpone(db: Db, { turnId, runId }: Leased, waiter?: Waiter): Promise<void> {
  await postponeStep(db, {
    ...{ turnId, step: 'r1', generation: 0, runId, called: [], delayMs: 60_000 },
    ...{ attempt: false, rateLimited: true, waitedMs: 0, eventData: null },
    ...(waiter && { waiter }),
  });
}
