import { Gauge, Registry } from 'prom-client';
import { countWork, type WorkCounts } from '#core/checkpoint/counts.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { ACTIVE_STATUSES } from '#core/turn/turn.ts';
import type { Availability, AvailabilityStatus } from '../availability.ts';
import { PARTS } from '../part-sentences.ts';
import type { Metrics } from './metrics.ts';

/** What the gauges are read from. `countStreams` is that of an API; a worker has none. */
export type StandingSources = {
  db: Db;
  availability: Pick<Availability, 'check'>;
  countJobs(): Promise<Record<string, number>>;
  countStreams?(): number;
};

/** The text of all metrics of a process as they are now. */
export type ReadMetrics = () => Promise<string>;

/**
 * Adds the gauges to the metrics of a process: what is under way, in all of the installation, and which parts are away. They are
 * read whenever the metrics are, also while the database is away: what cannot be known then is left out.
 */
export function withStandingGauges(metrics: Pick<Metrics, 'registry'>, sources: StandingSources): ReadMetrics {
  const own = new Registry();
  const gauges = standingGauges(own);
  return async () => {
    const standing = await sources.availability.check();
    const work = standing.away.has('database') ? null : await readWork(sources);
    for (const gauge of Object.values(gauges)) gauge.reset();
    setParts(gauges, standing);
    setWork(gauges, work);
    gauges.memory.set(process.memoryUsage.rss());
    const streams = sources.countStreams?.() ?? 0;
    gauges.streams.set(streams);
    gauges.eventStreams.set(streams);
    return `${await own.metrics()}\n${await metrics.registry.metrics()}`;
  };
}

type Gauges = ReturnType<typeof standingGauges>;

function standingGauges(registry: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    active: gauge('pawl_turns_active', 'Active turns by status', 'status'),
    turns: gauge('pawl_turns', 'Active turns by status, as pawl_turns_active without zeros', 'status'),
    late: gauge('pawl_turns_late', 'Active turns that are due and that no worker is on'),
    deliveries: gauge('pawl_deliveries_pending', 'Webhook deliveries still to be made'),
    jobs: gauge('pawl_jobs', 'Jobs in the queue by state', 'state'),
    up: gauge('pawl_part_up', 'Whether a part that Pawl leans on is there (1) or away (0)', 'part'),
    workers: gauge('pawl_workers', 'Workers that are alive'),
    streams: gauge('pawl_streams', 'Open event streams of this process'),
    eventStreams: gauge('pawl_event_streams', 'The same as pawl_streams'),
    memory: gauge('process_resident_memory_bytes', 'Resident memory of this process'),
  };
}

function setParts({ up, workers: alive }: Gauges, { away, unknown, stores, workers }: AvailabilityStatus): void {
  for (const part of PARTS) if (!unknown.has(part)) up.set({ part }, away.has(part) ? 0 : 1);
  for (const [part, sentence] of stores) up.set({ part }, sentence === null ? 1 : 0);
  setKnown(alive, workers);
}

type Work = WorkCounts & { jobs: Record<string, number> };

async function readWork({ db, countJobs }: StandingSources): Promise<Work> {
  const [work, jobs] = await Promise.all([countWork(db), countJobs().catch(() => ({}))]);
  return { ...work, jobs };
}

function setWork(gauges: Gauges, work: Work | null): void {
  setKnown(gauges.late, work?.late ?? null);
  setKnown(gauges.deliveries, work?.deliveries ?? null);
  if (!work) return;
  for (const status of ACTIVE_STATUSES) gauges.active.set({ status }, work.turns[status] ?? 0);
  for (const [status, count] of Object.entries(work.turns)) gauges.turns.set({ status }, count);
  for (const [state, count] of Object.entries(work.jobs)) gauges.jobs.set({ state }, count);
}

/** A gauge without a label is 0 where it was not set, which would be a lie: it is left out. */
function setKnown(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(value);
}
