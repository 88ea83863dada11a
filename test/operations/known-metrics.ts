/** The labels of a metric. A histogram has buckets, a sum and a count. */
export type KnownMetric = { type: 'counter' | 'gauge' | 'histogram'; labels: string[] };

const counter = (...labels: string[]): KnownMetric => ({ type: 'counter', labels });
const gauge = (...labels: string[]): KnownMetric => ({ type: 'gauge', labels });
const histogram = (...labels: string[]): KnownMetric => ({ type: 'histogram', labels });

/** The metrics that `/metrics` of an API or a worker reports, by name. */
export const knownMetrics: Record<string, KnownMetric> = {
  pawl_turns_total: counter('project', 'status'),
  pawl_rounds_total: counter('project', 'provider', 'model'),
  pawl_round_attempts_total: counter('provider', 'model', 'outcome'),
  pawl_rescues_total: counter(),
  pawl_tokens_total: counter('project', 'provider', 'model', 'direction'),
  pawl_cost_usd_total: counter('project', 'model'),
  pawl_deliveries_total: counter('outcome'),
  pawl_retention_deleted_total: counter('kind'),
  pawl_streams_closed_total: counter('project'),
  pawl_reads_total: counter('server'),
  pawl_queue_wait_seconds: histogram('project'),
  pawl_time_to_first_chunk_seconds: histogram('provider', 'model'),
  pawl_round_duration_seconds: histogram('provider', 'model'),
  pawl_tool_duration_seconds: histogram('tool', 'outcome'),
  pawl_event_loop_delay_seconds: histogram(),
  pawl_turns_active: gauge('status'),
  pawl_turns_late: gauge(),
  pawl_jobs: gauge('state'),
  pawl_streams: gauge(),
  pawl_deliveries_pending: gauge(),
  pawl_part_up: gauge('part'),
  pawl_workers: gauge(),
  process_resident_memory_bytes: gauge(),
};

/** The metrics of Prometheus itself that the examples use. */
const OF_PROMETHEUS: Record<string, KnownMetric> = { up: gauge() };

/** The labels that Prometheus adds to each series, by the jobs and relabelings of the examples. */
const OF_TARGETS = ['job', 'instance', 'namespace', 'pod'];

/** Returns the labels by which a series may be selected and grouped, or undefined if no process reports it. */
export function labelsOfSeries(name: string): string[] | undefined {
  const plain = knownMetrics[name] ?? OF_PROMETHEUS[name];
  if (plain) return plain.type === 'histogram' ? undefined : [...plain.labels, ...OF_TARGETS];
  const [, histogramName = '', part = ''] = name.match(/^(.*)_(bucket|sum|count)$/) ?? [];
  const found = knownMetrics[histogramName];
  if (found?.type !== 'histogram') return undefined;
  return [...found.labels, ...OF_TARGETS, ...(part === 'bucket' ? ['le'] : [])];
}
