import type { Queue } from '#client/connect-pawl.ts';
import { formatRoundDuration, serverNow } from '../base/time.ts';
import { formatCount } from '../base/words.ts';
import { SampleLine, type Samples } from './samples.tsx';

/** The queues, each with its waiting jobs, now and in the last 5 minutes. */
export function QueuesTable({ queues, samples }: { queues: Queue[]; samples: Samples }) {
  return (
    <section class="usage queues" aria-label="Queues">
      <h2>Queues</h2>
      <table>
        <thead>
          <tr>
            {['Queue', 'Provider', 'Waiting', 'Active', 'Last 5 min'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <QueueRow key={queue.name} queue={queue} samples={samples} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function QueueRow({ queue, samples }: { queue: Queue; samples: Samples }) {
  const { name, provider, waiting, active, rate_limited_until: until } = queue;
  const left = until === null ? 0 : Date.parse(until) - serverNow();
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        {left > 0 && <p class="limited">rate-limited for {formatRoundDuration(Math.ceil(left / 1000) * 1000)}</p>}
      </th>
      <td>{provider ?? '–'}</td>
      <td>{formatCount(waiting)}</td>
      <td>{formatCount(active)}</td>
      <td>
        <SampleLine name={`Jobs waiting in ${name}`} values={samples.valuesOf(name)} />
      </td>
    </tr>
  );
}
