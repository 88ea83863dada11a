import { Counter, Histogram, Registry } from 'prom-client';
import type { Usage } from '#core/turn/reply.ts';

/** The figures of a committed reply. `firstChunkMs` is null if the reply was not streamed. */
export type CountedRound = {
  project: string;
  model: string;
  durationMs: number;
  firstChunkMs: number | null;
  usage: Usage | null;
};

/**
 * The counters and measurements of a process, for Prometheus. Call each method after its commit has succeeded, so
 * that a write that a guard refused is not counted. `model` is `provider/model`, as everywhere.
 */
export type Metrics = {
  registry: Registry;
  turnEnded(project: string, status: string): void;
  roundSaved(round: CountedRound): void;
  /** Counts the tokens and the cost of a reply or of a summary. */
  tokensUsed(project: string, model: string, usage: Usage | null): void;
  /** Counts an attempt of a round: `success`, or the code of its failure. */
  roundAttempted(model: string, outcome: string): void;
  stepBegun(project: string, waitedMs: number): void;
  /** Counts an answered call: `success`, or the category of its error. */
  toolAnswered(tool: string, outcome: string, durationMs: number): void;
  rescued(wakeups: number): void;
  deliveryAttempted(outcome: 'delivered' | 'retried' | 'failed'): void;
  retentionDeleted(kind: string, rows: number): void;
  /** Counts a stream that was closed because it had too many unread messages. */
  streamClosed(project: string): void;
  /** Counts a read of lists, usage or events, if there are replicas. */
  readServed(server: 'replica' | 'primary'): void;
  close(): void;
};

/** The maximum number of values of labels that callers name. Further values are `other`. */
const MOST_VALUES = 100;

/** Makes the counters and histograms of a process, in a separate registry. */
export function makeMetrics(): Metrics {
  const registry = new Registry();
  const count = counters(registry);
  const measure = histograms(registry);
  const eventLoop = measureEventLoop((delayMs) => measure.delays().observe(Math.max(0, delayMs) / 1000));
  const [project, model, tool] = [limitValues(), limitValues(), limitValues()];

  function tokensUsed(ofProject: string, name: string, usage: Usage | null): void {
    if (!usage) return;
    const at = [project(ofProject), providerOf(name), model(name)];
    count.tokens(...at, 'input').inc(usage.input_tokens);
    count.tokens(...at, 'output').inc(usage.output_tokens);
    if (usage.cached_input_tokens) count.tokens(...at, 'cached_input').inc(usage.cached_input_tokens);
    if (usage.cache_write_tokens) count.tokens(...at, 'cache_write').inc(usage.cache_write_tokens);
    if (usage.cost_usd) count.cost(project(ofProject), model(name)).inc(usage.cost_usd);
  }

  return {
    registry,
    turnEnded: (name, status) => count.turns(project(name), status).inc(),
    roundSaved: (round) => {
      const at = [providerOf(round.model), model(round.model)];
      count.rounds(project(round.project), ...at).inc();
      count.attempts(...at, 'success').inc();
      measure.rounds(...at).observe(round.durationMs / 1000);
      if (round.firstChunkMs !== null) measure.firstChunks(...at).observe(round.firstChunkMs / 1000);
      tokensUsed(round.project, round.model, round.usage);
    },
    tokensUsed,
    roundAttempted: (name, outcome) => count.attempts(providerOf(name), model(name), outcome).inc(),
    stepBegun: (name, waitedMs) => measure.waits(project(name)).observe(Math.max(0, waitedMs) / 1000),
    toolAnswered: (name, outcome, durationMs) => measure.tools(tool(name), outcome).observe(durationMs / 1000),
    rescued: (wakeups) => count.rescues().inc(wakeups),
    deliveryAttempted: (outcome) => count.deliveries(outcome).inc(),
    retentionDeleted: (kind, rows) => count.deleted(kind).inc(rows),
    streamClosed: (name) => count.closedStreams(project(name)).inc(),
    readServed: (server) => count.reads(server).inc(),
    close: () => clearInterval(eventLoop),
  };
}

function counters(registry: Registry) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    remembered(new Counter({ name, help, labelNames, registers: [registry] }));
  return {
    turns: counter('pawl_turns_total', 'Turns that have ended', 'project', 'status'),
    rounds: counter('pawl_rounds_total', 'Rounds that were saved', 'project', 'provider', 'model'),
    attempts: counter('pawl_round_attempts_total', 'Attempts at rounds', 'provider', 'model', 'outcome'),
    rescues: counter('pawl_rescues_total', 'Wakeups that were enqueued again because their step was late'),
    tokens: counter('pawl_tokens_total', 'Tokens of saved replies', 'project', 'provider', 'model', 'direction'),
    cost: counter('pawl_cost_usd_total', 'Cost of saved replies in US dollars', 'project', 'model'),
    deliveries: counter('pawl_deliveries_total', 'Attempts to deliver webhooks', 'outcome'),
    deleted: counter('pawl_retention_deleted_total', 'Rows that were deleted because of their age', 'kind'),
    closedStreams: counter('pawl_streams_closed_total', 'Streams closed because their clients did not read', 'project'),
    reads: counter('pawl_reads_total', 'Reads that a replica may serve, by server', 'server'),
  };
}

const QUICK = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const SLOW = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600];
const STALLS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

function histograms(registry: Registry) {
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    remembered(new Histogram({ name, help, buckets, labelNames, registers: [registry] }));
  const ofModel = ['provider', 'model'];
  return {
    waits: histogram('pawl_queue_wait_seconds', 'Seconds from the due time of a step to its start', QUICK, 'project'),
    firstChunks: histogram(
      'pawl_time_to_first_chunk_seconds',
      'Seconds from a request to the model to its first chunk',
      SLOW,
      ...ofModel,
    ),
    rounds: histogram(
      'pawl_round_duration_seconds',
      'Seconds from a request to the model to its complete reply',
      SLOW,
      ...ofModel,
    ),
    tools: histogram(
      'pawl_tool_duration_seconds',
      'Seconds that a tool call took in this process',
      QUICK,
      'tool',
      'outcome',
    ),
    delays: histogram('pawl_event_loop_delay_seconds', 'Seconds by which timers of this process are late', STALLS),
  };
}

/** Caches the labelled children of a metric, so that a lookup creates no object. */
function remembered<Child>(metric: { labels(...values: string[]): Child }): (...values: string[]) => Child {
  const children = new Map<string, Child>();
  return (...values) => {
    const key = values.join('\n');
    const known = children.get(key);
    if (known) return known;
    const child = metric.labels(...values);
    children.set(key, child);
    return child;
  };
}

/** Bounds the values of a label: the first `MOST_VALUES` keep their names, later values become `other`. */
function limitValues(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < MOST_VALUES) known.add(value);
    return known.has(value) ? value : 'other';
  };
}

const LOOK_EVERY_MS = 100;

/** Measures ten times a second how late a timer fires. While a process stalls, all its timers are late. */
function measureEventLoop(observe: (delayMs: number) => void): NodeJS.Timeout {
  let expectedAt = performance.now() + LOOK_EVERY_MS;
  return setInterval(() => {
    const now = performance.now();
    observe(now - expectedAt);
    expectedAt = now + LOOK_EVERY_MS;
  }, LOOK_EVERY_MS).unref();
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'));
}
