import { useState } from 'preact/hooks';
import { PawlError, type Statistics, type Worker } from '#client/connect-pawl.ts';
import { pawl } from '../base/call.ts';
import { useTitle } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import { serverNow } from '../base/time.ts';
import { useClock, useFresh } from '../base/use-fresh.ts';
import { formatCount } from '../base/words.ts';
import { ChartCards } from '../overview/chart-cards.tsx';
import { statisticsCards } from '../overview/statistics-cards.ts';
import type { Route } from '../route.ts';
import { QueuesTable } from './queues-table.tsx';
import { makeSamples, SampleLine, type Samples } from './samples.tsx';
import { stepsWords, WorkerView } from './worker-view.tsx';

const HOUR_MS = 3_600_000;

/** The workers that are alive with their steps, the queues, and the throughput of the last hour. */
export function WorkersPage(_: Route) {
  const [samples] = useState(makeSamples);
  const read = async (signal: AbortSignal) => {
    const [workers, queues] = await Promise.all([pawl.workers({ signal }), pawl.queues({ signal })]);
    samples.keep('steps', stepsOf(workers));
    for (const { name, waiting } of queues) samples.keep(name, waiting);
    return { workers, queues };
  };
  const { data, refused, again } = useFresh(read, { everyMs: 2_000 });
  useClock(1_000);
  useTitle('Workers');
  const isAdmin = !(refused instanceof PawlError && refused.status === 403);
  return (
    <>
      <h1>Workers</h1>
      {isAdmin ? (
        <Refusal refused={refused} again={again} />
      ) : (
        <p class="meta">
          All projects share workers and queues. Only keys with the scope <code>admin</code> can see them.
        </p>
      )}
      {data === null && refused === null && <Skeleton />}
      {data && isAdmin && (
        <>
          <WorkerList workers={data.workers} samples={samples} />
          <QueuesTable queues={data.queues} samples={samples} />
          <LastHour />
        </>
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

/** The turns of all projects in the last hour and their waits for a worker, in minutes. */
function LastHour() {
  const { data, refused, again } = useFresh<Statistics>(readHour, { everyMs: 30_000 });
  const cards = data ? statisticsCards(data).filter(({ title }) => title === 'Turns' || title === 'Queue wait') : [];
  return (
    <section class="stack" aria-label="Last hour">
      <h2>Last hour</h2>
      <Refusal refused={refused} again={again} />
      {data ? <ChartCards buckets={data.buckets} cards={cards} open={openOverview} /> : !refused && <Skeleton />}
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
