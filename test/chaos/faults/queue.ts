import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { TurnWakeup } from '#core/turn/wakeup.ts';
import type { ChaosHarness } from '../open-harness.ts';
import { retryUntilDone } from '../retry-until-done.ts';
import type { Fault } from './fault.ts';
import type { ScheduledFault } from './schedule.ts';

const INTERVAL_MS = 5;

/** Empties the queue repeatedly for a while, so that jobs enqueued in that time are lost too. */
export const loseQueue: Fault = async (harness, { lastsMs }) => {
  const lost = await emptyQueue(harness, lastsMs);
  return { evidence: lost > 0 ? `${lost} jobs or keys lost` : null, endedAt: Date.now(), scope: 'all' };
};

/** Empties the queue for a while: FLUSHALL, or its table. Returns the number of lost keys or jobs. */
async function emptyQueue({ redis, sql }: ChaosHarness, lastsMs: number): Promise<number> {
  let lost = 0;
  for (const until = Date.now() + lastsMs; Date.now() < until; await sleep(INTERVAL_MS)) {
    if (redis) {
      lost += await redis.client.dbsize();
      await redis.client.flushall();
    } else lost += (await retryUntilDone(() => sql`delete from bullmq.job`)).count;
  }
  return lost;
}

const POLL_MS = 60;

/** The number of turns with old jobs that are enqueued again, and of jobs that are enqueued at once. */
const MANY = 40;

/** Doubles every job under another id for a while. */
export const doubleJobs: Fault = async (harness, scheduled) => {
  const doubled = new Set<string>();
  const until = Date.now() + scheduled.lastsMs;
  while (Date.now() < until) {
    const due = (await retryUntilDone(() => dueNow(harness))).filter((one) => !doubled.has(nameOf(one)));
    await retryUntilDone(() => harness.jobQueue.enqueue(due.map((one) => renumbered(one, scheduled, doubled.size))));
    for (const one of due) doubled.add(nameOf(one));
    await sleep(POLL_MS);
  }
  return { evidence: doubled.size > 0 ? `${doubled.size} jobs doubled` : null, endedAt: Date.now(), scope: 'none' };
};

/** Enqueues old jobs again: jobs of ended turns, and of steps that are done. */
export const replayJobs: Fault = async (harness, scheduled) => {
  const { sql } = harness;
  const steps = await retryUntilDone(
    () => sql<TurnWakeup[]>`
    select 'turn' as kind, id as "turnId", step, provider, priority from (
      select id, split_part(model, '/', 1) as provider, priority, unnest(array['r1', 'b1', 'r2', 'b2', step]) as step
      from turn_states order by id desc limit ${MANY}) as old`,
  );
  const wakeups = steps.map((one, index) => renumbered(one, scheduled, index));
  for (let start = 0; start < wakeups.length; start += MANY) {
    await retryUntilDone(() => harness.jobQueue.enqueue(wakeups.slice(start, start + MANY)));
  }
  return {
    evidence: wakeups.length > 0 ? `${wakeups.length} old jobs added again` : null,
    endedAt: Date.now(),
    scope: 'none',
  };
};

/** Returns the due wakeups, as they were enqueued. */
function dueNow({ sql }: ChaosHarness): Promise<TurnWakeup[]> {
  return sql<TurnWakeup[]>`select 'turn' as kind, id as "turnId", step, generation, provider, priority
    from work where due_at < 'infinity' and at_head and status <> 'requires_action'`;
}

function nameOf({ turnId, step, generation }: TurnWakeup): string {
  return `${turnId} ${step} ${generation}`;
}

/** Renumbers a wakeup. Another generation makes another job id, and no turn of a run reaches these. */
function renumbered(wakeup: TurnWakeup, { number }: ScheduledFault, index: number): TurnWakeup {
  return { ...wakeup, generation: 1_000_000 + number * 10_000 + index };
}

const LOSING_MS = 1_000;

/** The maximum of attempts to lose the queue, since the queue may be empty. */
const ATTEMPTS = 3;

/**
 * Makes all rescuers find no rows for a while, although the queue has just been lost: a trigger skips the updates
 * that raise `rescues`.
 */
export const pauseRescuers: Fault = async (harness, { lastsMs }) => {
  const { sql } = harness;
  await retryUntilDone(() => blockRescuers(sql));
  try {
    for (let attempt = 1; attempt <= ATTEMPTS && (await countPassedOver(sql)) === 0; attempt += 1) {
      await emptyQueue(harness, LOSING_MS);
      await sleep(lastsMs);
    }
  } finally {
    await retryUntilDone(() => sql`drop trigger if exists chaos_no_rescue on work`);
  }
  const endedAt = Date.now();
  const passedOver = await countPassedOver(sql);
  await retryUntilDone(() => sql`drop sequence if exists chaos_passed_over`);
  return { evidence: passedOver > 0 ? `${passedOver} rescues skipped` : null, endedAt, scope: 'all' };
};

async function blockRescuers(sql: postgres.Sql): Promise<void> {
  await sql`create sequence if not exists chaos_passed_over`;
  await sql`create or replace function chaos_pass_over() returns trigger language plpgsql as $$
    begin perform nextval('chaos_passed_over'); return null; end $$`;
  await sql`create or replace trigger chaos_no_rescue before update of rescues on work for each row
    when (new.rescues > old.rescues) execute function chaos_pass_over()`;
}

async function countPassedOver(sql: postgres.Sql): Promise<number> {
  const [row] = await retryUntilDone(
    () => sql<{ count: number }[]>`select last_value::int * is_called::int as count from chaos_passed_over`,
  );
  return row?.count ?? 0;
}
