import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { History } from './history.ts';
import { makeApiClient } from './load/api-client.ts';
import { makeJournal } from './load/journal.ts';
import { planExtraTurn, planTurns } from './load/plan-turns.ts';
import { playAll } from './load/play-all.ts';
import { proveTroubles } from './prove-troubles.ts';
import type { Options } from './read-options.ts';
import { readRows } from './read-rows.ts';
import { readStarts } from './read-starts.ts';
import { makeSchedule } from './schedule.ts';
import { settle } from './settle.ts';
import type { Site } from './site/open-site.ts';
import { persevere } from './site/persevere.ts';
import { strikeAll } from './strike-all.ts';
import { watchRows } from './watch-rows.ts';

const NS_PER_MS = 1_000_000;
const SETTLE_LIMIT_MS = 120_000;

/** Plays the load while the schedule strikes, waits until all has settled, and answers all that happened. */
export async function runChaos(site: Site, options: Options): Promise<History> {
  const { seed, turns, seconds } = options;
  const strikes = makeSchedule(options);
  const urls = { toolUrl: site.tools.url, hookUrl: site.receiver.url };
  const plans = planTurns({ seed, turns, seconds, strikes, ...urls });
  const journal = makeJournal();
  const over = new AbortController();
  const client = makeApiClient(
    site.apis.map(({ url }) => url),
    journal,
    over.signal,
  );

  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const watching = watchRows(site, over.signal);
  const planExtra = (number: number, atMs: number) => planExtraTurn({ seed, number, atMs }, urls);
  const load = playAll(plans, { client, journal, conversations: [] }, planExtra);
  const faults = await strikeAll(strikes, site, load);
  const lastAtMs = plans.at(-1)?.atMs ?? 0;
  const hurriedAt = Date.now();
  await settle(site, load.played(), lastAtMs + SETTLE_LIMIT_MS);
  over.abort();

  const parts = [...site.workers, ...site.apis];
  const seen = { modelCalls: site.model.calls, toolCalls: site.tools.calls, webhooks: site.receiver.seen };
  const ownEnds = parts.flatMap(({ name, ownEnds }) => ownEnds.map((end) => ({ part: name, ...end })));
  return {
    ...journal,
    ...seen,
    plans,
    ownEnds,
    faults: proveTroubles({ faults, plans, ownEnds, ...seen, ...journal }),
    rows: await persevere(() => readRows(site.postgres.sql)),
    starts: await readStarts(site.workers),
    latest: await watching,
    driverLag: { p99: lag.percentile(99) / NS_PER_MS, max: lag.max / NS_PER_MS },
    hurriedAt,
  };
}
