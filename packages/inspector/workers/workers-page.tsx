import { useState } from 'preact/hooks';
import { PawlError, type Queue, type Statistics, type Worker } from '#client/connect-pawl.ts';
import { pawl } from '../base/call.ts';
import { useTitle } from '../base/memo.tsx';
import { Loaded } from '../base/refusal.tsx';
import { Table } from '../base/table.tsx';
import { formatAge, formatDateTime, formatElapsed, formatRoundDuration, serverNow } from '../base/time.ts';
import { useClock, useFresh } from '../base/use-fresh.ts';
import { formatCount } from '../base/words.ts';
import { ChartCards } from '../overview/chart-cards.tsx';
import { ChartMarks, highestOf } from '../overview/chart-marks.tsx';
import { statisticsCards } from '../overview/statistics-cards.ts';
import { type Route, turnHref } from '../route.ts';
import { BatchesTable } from './batches-table.tsx';

const HOUR_MS = 3_600_000;

/** The maximum number of steps shown for a worker: the longest. */
const MOST_STEPS = 50;

/** The live workers with their steps, the queues, the batches, and the throughput of the last hour. */
export function WorkersPage(_: Route) {
  const [samples] = useState(makeSamples);
  const fresh = useFresh(
    async (signal) => {
      const [workers, queues, batches] = await Promise.all([
        pawl.workers({ signal }),
        pawl.queues({ signal }),
        pawl.batches({ limit: 100, signal }),
      ]);
      samples.keep('steps', stepsOf(workers));
      for (const { name, waiting } of queues) samples.keep(name, waiting);
      return { workers, queues, batches };
    },
    { everyMs: 2_000 },
  );
  useClock(1_000);
  useTitle('Workers');
  const isForbidden = fresh.refused instanceof PawlError && fresh.refused.status === 403;
  return (
    <>
      <h1>Workers</h1>
      {isForbidden ? (
        <p class="meta">
          All projects share workers and queues. Only keys with the scope <code>admin</code> can see them.
        </p>
      ) : (
        <Loaded from={fresh}>
          {({ workers, queues, batches }) => (
            <>
              <WorkerList workers={workers} samples={samples} />
              <QueuesTable queues={queues} samples={samples} />
              <BatchesTable batches={batches} />
              <LastHour />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function WorkerList({ workers, samples }: { workers: Worker[]; samples: Samples }) {
  const count = `${formatCount(workers.length)} ${workers.length === 1 ? 'worker' : 'workers'}`;
  const headline = `${stepsWords(stepsOf(workers))} · ${count}`;
  return (
    <section class="stack" aria-label="Workers">
      <p class="headline">{workers.length > 0 ? headline : 'No worker is alive. Turns wait until a worker starts.'}</p>
      <SampleLine name="Steps running" values={samples.valuesOf('steps')} />
      <ol class="stack">
        {workers.map((worker) => (
          <WorkerView key={worker.id} worker={worker} />
        ))}
      </ol>
    </section>
  );
}

function stepsOf(workers: Worker[]): number {
  return workers.reduce((sum, { steps }) => sum + steps.length, 0);
}

function stepsWords(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'step' : 'steps'} running`;
}

function WorkerView({ worker }: { worker: Worker }) {
  const { id, started_at: startedAt, last_seen_at: seenAt, concurrency, steps } = worker;
  const longest = steps.toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since)).slice(0, MOST_STEPS);
  return (
    <li class="panel worker">
      <div class="facts-line meta">
        <code>{id}</code>
        <span>
          {stepsWords(steps.length)} · at most {formatCount(concurrency)} of each provider
        </span>
        <span title={formatDateTime(startedAt)}>up {formatElapsed(startedAt)}</span>
        <span>seen {formatAge(seenAt)}</span>
      </div>
      <progress
        max={concurrency}
        value={Math.min(steps.length, concurrency)}
        aria-label={`Steps that ${id} runs, of its slots`}
      />
      <ul>
        {longest.map(({ turn_id: turnId, step, since }) => (
          <li key={`${turnId} ${step}`}>
            <a class="step facts-line meta" href={turnHref(turnId)}>
              <code>{turnId}</code>
              <span>{stepWords(step)}</span>
              <span>{formatElapsed(since)}</span>
            </a>
          </li>
        ))}
      </ul>
      {steps.length > MOST_STEPS && <p class="meta">and {formatCount(steps.length - MOST_STEPS)} more</p>}
    </li>
  );
}

/** Returns a step in words: `r2` is round 2, `b2` the tool calls of round 2. */
function stepWords(step: string): string {
  const [, kind, number] = /^([rb])(\d+)$/.exec(step) ?? [];
  if (kind === undefined) return step;
  return kind === 'r' ? `round ${number}` : `tools of round ${number}`;
}

/** The queues, each with its waiting jobs, now and in the last 5 minutes. */
function QueuesTable({ queues, samples }: { queues: Queue[]; samples: Samples }) {
  return (
    <section class="usage queues" aria-label="Queues">
      <h2>Queues</h2>
      <Table
        rows={queues}
        keyOf={({ name }) => name}
        columns={[
          ['Queue', (queue) => <QueueName queue={queue} />],
          ['Provider', ({ provider }) => provider ?? '–'],
          ['Waiting', ({ waiting }) => formatCount(waiting)],
          ['Active', ({ active }) => formatCount(active)],
          ['Last 5 min', ({ name }) => <SampleLine name={`Jobs waiting in ${name}`} values={samples.valuesOf(name)} />],
        ]}
      />
    </section>
  );
}

function QueueName({ queue: { name, rate_limited_until: until } }: { queue: Queue }) {
  const leftMs = until === null ? 0 : Date.parse(until) - serverNow();
  return (
    <>
      <code>{name}</code>
      {leftMs > 0 && <p class="limited">rate-limited for {formatRoundDuration(Math.ceil(leftMs / 1000) * 1000)}</p>}
    </>
  );
}

/** At a sample every 2 s, 5 minutes. */
const KEPT = 150;

/** Keeps the last values of counts by name, while the page is open. */
function makeSamples() {
  const kept = new Map<string, number[]>();
  return {
    keep: (name: string, value: number) => {
      kept.set(name, [...(kept.get(name) ?? []), value].slice(-KEPT));
    },
    valuesOf: (name: string): readonly number[] => kept.get(name) ?? [],
  };
}

type Samples = ReturnType<typeof makeSamples>;

/** The samples of a count as a line, with the newest at the right. */
function SampleLine({ name, values }: { name: string; values: readonly number[] }) {
  const before = Array.from({ length: KEPT - values.length }, () => null);
  const series = [{ name, kind: 'in_progress', values: [...before, ...values] }];
  const most = Math.max(0, ...values);
  return (
    <div class="sample-line" role="img" aria-label={`${name}: ${values.at(-1) ?? 0} now, at most ${most} in 5 minutes`}>
      <ChartMarks series={series} as="lines" top={Math.max(1, highestOf({ series, as: 'lines' }))} />
    </div>
  );
}

/** The turns of all projects in the last hour and their waits for a worker, in minutes. */
function LastHour() {
  const fresh = useFresh(readHour, { everyMs: 30_000 });
  return (
    <section class="stack" aria-label="Last hour">
      <h2>Last hour</h2>
      <Loaded from={fresh}>
        {(hour) => {
          const cards = statisticsCards(hour).filter(({ title }) => title === 'Turns' || title === 'Queue wait');
          return <ChartCards buckets={hour.buckets} cards={cards} open={openOverview} />;
        }}
      </Loaded>
    </section>
  );
}

function readHour(signal: AbortSignal): Promise<Statistics> {
  const to = Math.ceil(serverNow() / 60_000) * 60_000;
  const range = { from: new Date(to - HOUR_MS).toISOString(), to: new Date(to).toISOString() };
  return pawl.statistics({ ...range, buckets: 60, project: '*' }, { signal });
}

function openOverview(): void {
  location.hash = '#/overview?range=1h&project=*';
}
