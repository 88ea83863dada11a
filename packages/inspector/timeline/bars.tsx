import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { formatDuration } from '../base/time.ts';
import type { Result } from '../base/turn.ts';
import { type Place, type Position, unshortened } from './axis.ts';

/** A part of a timeline. `to` is null while the part continues. */
export type Bar = { kind: keyof typeof BAR_WORDS; from: number; to: number | null };

export const BAR_WORDS = {
  wait: 'Queue wait',
  model: 'Model',
  tool: 'Tools',
  person: 'Waiting for an answer',
  pause: 'Pauses between attempts',
  lost: 'Lost attempts',
};

/** The function that returns the drawn position of a time. */
export const Drawn = createContext<Place>(unshortened);

/** The length of the axis in ms, which grows while the turn runs. */
export const Total = createContext(1);

type CallTimes = { result: Result; dueAt: string; resumedAt: string[]; position: Position };

/** Returns the times of a call: the wait for a person or client, then the queue, then the tool. */
export function callBars({ result, dueAt, resumedAt, position }: CallTimes): Bar[] {
  const due = position(dueAt);
  const end = result.completed_at === null ? null : position(result.completed_at);
  if (result.waits_for !== null && !result.approval) return [{ kind: 'person', from: due, to: end }];

  const allowed = result.approval ? Math.max(due, position(result.approval.at)) : due;
  const work = workBars(result, allowed, { end, resumedAt, position });
  return result.approval ? [{ kind: 'person', from: due, to: allowed }, ...work] : work;
}

type WorkTimes = { end: number | null } & Pick<CallTimes, 'resumedAt' | 'position'>;

function workBars(result: Result, since: number, { end, resumedAt, position }: WorkTimes): Bar[] {
  if (result.waits_for === 'output') return [{ kind: 'person', from: since, to: end }];
  if (result.status === 'pending') return [{ kind: 'wait', from: since, to: null }];
  // A call that was answered without a start (refused, cached) took no time.
  if (result.started_at === null) return result.status === 'running' ? [{ kind: 'tool', from: since, to: end }] : [];
  const started = within(position(result.started_at), since, end);
  const due = resumedAt.map(position).reduce((latest, at) => (at <= started ? Math.max(latest, at) : latest), since);
  return [
    { kind: 'wait', from: due, to: started },
    { kind: 'tool', from: started, to: end },
  ];
}

/** Bounds a time of another clock. A start is never earlier than its cause, and never later than its end. */
export function within(at: number, earliest: number, latest: number | null): number {
  return Math.min(Math.max(at, earliest), latest ?? Number.POSITIVE_INFINITY);
}

/** Bars on the time axis of the turn. The style sheet derives their widths from the length of the axis, `--total`. */
export function Track({ bars }: { bars: Bar[] }) {
  const place = useContext(Drawn);
  if (bars.length === 0) return null;
  const texts = bars
    .filter(({ from, to }) => to === null || to - from >= 1)
    .map(({ kind, from, to }) => `${BAR_WORDS[kind]} ${to === null ? 'so far' : formatDuration(to - from)}`);
  return (
    <div class="track" role="img" aria-label={texts.join(', ') || 'no time'} title={texts.join(' · ')}>
      {bars.map(({ kind, from, to }) => (
        <i
          key={`${kind} ${from}`}
          class={`bar ${kind}`}
          style={{ '--from': place(from), '--to': to === null ? 'var(--total)' : place(to) }}
        />
      ))}
    </div>
  );
}

/** The duration of bars, which grows while the last bar continues. The axis excludes the wait for an answer. */
export function Took({ bars }: { bars: Bar[] }) {
  const total = useContext(Total);
  if (bars.length === 0) return null;
  const open = bars.find(({ to }) => to === null);
  const ms = open ? total - open.from : bars.reduce((sum, { from, to }) => sum + (to ?? from) - from, 0);
  return <span class="took">{bars.at(-1)?.kind !== 'person' && formatDuration(ms)}</span>;
}
