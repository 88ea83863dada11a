import { Gauge, Registry } from 'prom-client';
import { countWork, type WorkCounts } from '#core/checkpoint/counts.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { ACTIVE_STATUSES } from '#core/turn/turn.ts';
import type { Availability, AvailabilityStatus } from '../availability.ts';
import { PARTS } from '../part-sentences.ts';
import type { Metrics } from './metrics.ts';

/** The sources of the gauges. Only an API has `countStreams`. */
export type StandingSources = {
  db: Db;
  availability: Pick<Availability, 'check'>;
  countJobs(): Promise<Record<string, number>>;
  countStreams?(): number;
};

export type ReadMetrics = () => Promise<string>;

/**
 * Adds the gauges to the metrics of a process: current work in the whole installation, and absent parts. Each request
 * of the metrics reads the gauges, even while the database is away. It then omits unknown values.
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
    gauges.streams.set(sources.countStreams?.() ?? 0);
    return `${await own.metrics()}\n${await metrics.registry.metrics()}`;
  };
}

type Gauges = ReturnType<typeof standingGauges>;

function standingGauges(registry: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    active: gauge('pawl_turns_active', 'Active turns by status', 'status'),
    late: gauge('pawl_turns_late', 'Active turns that are due and that no worker has leased'),
    deliveries: gauge('pawl_deliveries_pending', 'Pending webhook deliveries'),
    jobs: gauge('pawl_jobs', 'Jobs in the queue by state', 'state'),
    up: gauge('pawl_part_up', 'Whether a part that Pawl depends on is available (1) or away (0)', 'part'),
    workers: gauge('pawl_workers', 'Live workers'),
    streams: gauge('pawl_streams', 'Open event streams of this process'),
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
  for (const [state, count] of Object.entries(work.jobs)) gauges.jobs.set({ state }, count);
}

/** Sets a gauge, or removes it: a gauge without a label would show 0 for an unknown value. */
function setKnown(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(value);
}
