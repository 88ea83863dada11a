import type { Worker } from '#client/connect-pawl.ts';
import { formatAge, formatDateTime, formatRoundDuration, serverNow } from '../base/time.ts';
import { formatCount } from '../base/words.ts';
import { turnHref } from '../route.ts';

/** The number of steps of a worker that the page shows: the longest. */
const MOST_STEPS = 50;

/** A worker that is alive, with the steps that it runs. */
export function WorkerView({ worker }: { worker: Worker }) {
  const { id, started_at: startedAt, last_seen_at: seenAt, concurrency, steps } = worker;
  const longest = steps.toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since)).slice(0, MOST_STEPS);
  return (
    <li class="panel worker">
      <div class="facts-line meta">
        <code>{id}</code>
        <span>
          {stepsWords(steps.length)} · at most {formatCount(concurrency)} of each provider
        </span>
        <span title={formatDateTime(startedAt)}>up {lasting(startedAt)}</span>
        <span>seen {formatAge(serverNow() - Date.parse(seenAt))}</span>
      </div>
      <progress
        max={concurrency}
        value={Math.min(steps.length, concurrency)}
        aria-label={`Steps that ${id} runs, of its places`}
      />
      <ul>
        {longest.map(({ turn_id: turnId, step, since }) => (
          <li key={`${turnId} ${step}`}>
            <a class="step facts-line meta" href={turnHref(turnId)}>
              <code>{turnId}</code>
              <span>{stepWords(step)}</span>
              <span>{lasting(since)}</span>
            </a>
          </li>
        ))}
      </ul>
      {steps.length > MOST_STEPS && <p class="meta">and {formatCount(steps.length - MOST_STEPS)} more</p>}
    </li>
  );
}

export function stepsWords(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'step' : 'steps'} running`;
}

/** A step in words: `r2` is round 2, `b2` the tool calls of round 2. */
function stepWords(step: string): string {
  const [, kind, number] = /^([rb])(\d+)$/.exec(step) ?? [];
  if (kind === undefined) return step;
  return kind === 'r' ? `round ${number}` : `tools of round ${number}`;
}

function lasting(since: string): string {
  return formatRoundDuration(Math.max(0, Math.floor((serverNow() - Date.parse(since)) / 1000) * 1000));
}
