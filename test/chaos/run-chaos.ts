import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { hurryResponses, readResponses } from './background-responses.ts';
import { hurryBatches, readBatches } from './batch-requests.ts';
import { injectFaults } from './faults/inject-faults.ts';
import { proveTroubles } from './faults/prove-troubles.ts';
import { makeSchedule } from './faults/schedule.ts';
import type { History } from './history.ts';
import { makeApiClient } from './load/api-client.ts';
import { makeJournal } from './load/journal.ts';
import { planExtraTurn, planTurns } from './load/plan-turns.ts';
import { playAgents } from './load/play-agents.ts';
import { playForks } from './load/play-forks.ts';
import { playTalk } from './load/play-talk.ts';
import { playAll } from './load/play-turns.ts';
import type { ChaosHarness } from './open-harness.ts';
import { AGENTS, FLOOD, FORKS, TALK } from './projects.ts';
import type { Options } from './read-options.ts';
import { readAgents, readForks, readRows, readStarts, readTalk } from './read-rows.ts';
import { retryUntilDone } from './retry-until-done.ts';

const NS_PER_MS = 1_000_000;
/** A rescue happens within a minute, so no movable work rests for longer than this. */
const STILL_MS = 120_000;
const LONGEST_SETTLE_MS = 20 * 60_000;
const OTHERS = new Set<string>([FLOOD.model, TALK.model, FORKS.model, AGENTS.model]);

/** Plays the load while the faults are injected, waits until all has settled, and returns the history. */
export async function runChaos(harness: ChaosHarness, options: Options): Promise<History> {
  const { seed, turns, seconds, batches } = options;
  const schedule = makeSchedule(options);
  const urls = { toolUrl: harness.tools.url, hookUrl: harness.receiver.url };
  const plans = planTurns({ seed, turns, seconds, schedule, batches, ...urls });
  const journal = makeJournal();
  const over = new AbortController();
  const client = makeApiClient(
    harness.apis.map(({ url }) => url),
    journal,
    over.signal,
  );

  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const sampling = sampleRows(harness, over.signal);
  const hurrying = hurryUntil(harness, over.signal);
  const planExtra = (number: number, atMs: number) => planExtraTurn({ seed, number, atMs, batches }, urls);
  const urlsOfApis = harness.apis.map(({ url }) => url);
  const talking = playTalk(options, makeApiClient(urlsOfApis, journal, over.signal, TALK));
  const forkJournal = makeJournal();
  const forking = playForks(options, makeApiClient(urlsOfApis, forkJournal, over.signal, FORKS), harness.tools.url);
  const helping = playAgents(options, makeApiClient(urlsOfApis, journal, over.signal, AGENTS));
  const load = playAll(plans, { client, journal, conversations: [] }, planExtra);
  const faults = await injectFaults(schedule, harness, load);
  const hurriedFrom = Date.now();
  const played = Promise.all([load.played(), talking, forking, helping]).then(() => {});
  await settle(harness, played);
  over.abort();
  await hurrying;

  const parts = [...harness.workers, ...harness.apis];
  const seen = {
    modelCalls: harness.model.calls.filter(({ model }) => !OTHERS.has(model)),
    responseCalls: harness.model.responseCalls,
    background: {
      committed: await retryUntilDone(() => readResponses(harness.sql)),
      keptIds: harness.model.keptIds(),
    },
    batches: { sent: harness.model.batched(), ...(await retryUntilDone(() => readBatches(harness.sql))) },
    toolCalls: harness.tools.calls.filter(({ mark }) => !mark.startsWith('fork-')),
    webhooks: harness.receiver.received,
  };
  const ownEnds = parts.flatMap(({ name, ownEnds }) => ownEnds.map((end) => ({ part: name, ...end })));
  return {
    ...journal,
    ...seen,
    plans,
    ownEnds,
    faults: proveTroubles({ faults, plans, ownEnds, ...seen, ...journal }),
    rows: await retryUntilDone(() => readRows(harness.sql)),
    talk: { said: await talking, turns: await retryUntilDone(() => readTalk(harness.sql)) },
    forks: {
      families: await forking,
      modelCalls: harness.model.calls.filter(({ model }) => model === FORKS.model),
      toolCalls: harness.tools.calls.filter(({ mark }) => mark.startsWith('fork-')),
      answers: forkJournal.answers,
      rows: await retryUntilDone(() => readForks(harness.sql)),
    },
    agents: {
      accepted: await helping,
      ...(await retryUntilDone(() => readAgents(harness.sql))),
      modelCalls: harness.model.calls.filter(({ model }) => model === AGENTS.model),
    },
    starts: await readStarts(harness.workers),
    latest: await sampling,
    driverLag: { p99: lag.percentile(99) / NS_PER_MS, max: lag.max / NS_PER_MS },
    hurriedFrom,
  };
}

const POLL_MS = 300;

/**
 * Waits, after the last fault, until everything has ended or has not moved for two minutes: a turn that is still
 * active then is stuck, even on a slow machine. Waiting deliveries are hurried, since their pauses take hours.
 */
async function settle({ sql }: ChaosHarness, load: Promise<void>): Promise<void> {
  const last = performance.now() + LONGEST_SETTLE_MS;
  let moved = { at: performance.now(), progress: '' };
  let isPlayed = false;
  void load.then(() => {
    isPlayed = true;
  });
  while (performance.now() < Math.min(last, moved.at + STILL_MS)) {
    await sql`update deliveries set due_at = now(), next_attempt_at = now() where status = 'pending'
      and next_attempt_at > now() and lease_until is null and due_at > now() + interval '2 seconds'`;
    await hurryResponses(sql);
    if (isPlayed) await hurryErasing(sql);
    const counts = await readProgress(sql);
    if (isPlayed && counts.open === 0) return;
    const progress = JSON.stringify(counts);
    if (progress !== moved.progress) moved = { at: performance.now(), progress };
    await sleep(POLL_MS);
  }
}

/** Reads counts that change whenever a turn, a delivery or an erasure moves. `open` counts unfinished work. */
async function readProgress(sql: ChaosHarness['sql']) {
  const [row] = await sql<{ open: number; events: number; starts: number; sent: number }[]>`
    select (select count(*) from work)::int
      + (select count(*) from deliveries where due_at is not null)::int
      + (select count(*) from conversations where erase_due_at is not null)::int
      + (select count(*) from background_responses)::int
      + (select count(*) from batches)::int + (select count(*) from batch_requests)::int as open,
      (select count(*) from events)::int as events,
      (select coalesce(sum(starts + attempts), 0) from work)::int
      + (select count(*) filter (where state = 'sent') + coalesce(sum(refusals + lost_reads), 0) from batches)::int as starts,
      (select count(*) from delivery_attempts)::int as sent`;
  return row!;
}

/** Hurries the erasure of unstored turns. They are kept for a while for repeated requests, which end with the load. */
async function hurryErasing(sql: ChaosHarness['sql']): Promise<void> {
  await sql`update turns set completed_at = completed_at - interval '1 minute'
    where not stored and completed_at > now() - interval '30 seconds'`;
  await sql`update conversations set erase_due_at = now() where erase_due_at > now()`;
}

/** Hurries the batches until the run is over. */
async function hurryUntil({ sql }: ChaosHarness, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await hurryBatches(sql).catch(() => {});
    await sleep(POLL_MS);
  }
}

const INTERVAL_MS = 500;

/**
 * Samples the rows until the run is over: the latest row, the longest lease, and the number of running turns of the
 * flood.
 */
async function sampleRows({ sql }: ChaosHarness, over: AbortSignal): Promise<History['latest']> {
  const latest = { lateMs: 0, longestLeaseMs: 0, mostFlooding: 0 };
  while (!over.aborted) {
    // The statement does not use now(): it may wait for a lock, and would then see leases that are younger than its
    // start.
    const [row] = await sql<{ late: number; lease: number; flooding: number }[]>`
      select coalesce(max(extract(epoch from clock_timestamp() - due_at)), 0)::double precision * 1000 as late,
        coalesce(max(extract(epoch from lease_until - clock_timestamp())), 0)::double precision * 1000 as lease,
        count(*) filter (where project = ${FLOOD.name} and coalesce(slot = 'held', true))::int as flooding
      from work where due_at < 'infinity'`.catch(() => []);
    latest.lateMs = Math.max(latest.lateMs, row?.late ?? 0);
    latest.longestLeaseMs = Math.max(latest.longestLeaseMs, row?.lease ?? 0);
    latest.mostFlooding = Math.max(latest.mostFlooding, row?.flooding ?? 0);
    await sleep(INTERVAL_MS);
  }
  return latest;
}
