import { formatDateTime, formatDuration, formatTimeOfDay, serverNow } from '../base/time.ts';
import type { ListedTurn } from '../base/turn.ts';
import { inOneLine } from '../base/words.ts';

type Waiting = NonNullable<ListedTurn['waiting']>;

const WORDS: Record<Waiting['for'], string> = {
  provider: 'Waits for its provider, which is rate-limited',
  retry: 'Waits before the next attempt',
  slot: 'Waits for a free worker',
  project_quota: 'Waits for a free slot: its project runs its maximum number of turns',
  batch: 'Waits for the result of a batch, which can take hours',
  start_at: 'Waits for its start time',
  turn: 'Waits for the turn before it in its conversation',
  client: 'Waits for its client to answer a call',
  approval: 'Waits for a person to approve a call',
};

const DAY_MS = 86_400_000;

/** The reason of a wait, its end, and its total duration, in one line. */
export function WaitingView({ waiting }: { waiting: Waiting | null }) {
  if (waiting === null) return null;
  const { for: reason, since, until } = waiting;
  const lastsMs = until ? Date.parse(until) - Date.parse(since) : 0;
  return (
    <p class="wait-note" role="status">
      {inOneLine([
        WORDS[reason] ?? `Waits for ${reason}`,
        until && `until ${formatUntil(until)}`,
        lastsMs > 0 && `${formatDuration(lastsMs)} in all`,
      ])}
    </p>
  );
}

function formatUntil(until: string): string {
  if (Date.parse(until) - serverNow() > DAY_MS) return formatDateTime(until);
  return formatTimeOfDay(until).replace(/\.\d+$/, '');
}
