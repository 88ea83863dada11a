import { useEffect, useState } from 'preact/hooks';
import { ActionButton, CopyButton, notice } from '../base/buttons.tsx';
import { call, refusalOf } from '../base/call.ts';
import { StatusBadge } from '../base/fact-list.tsx';
import { formatDateTime, formatTimeOfDay } from '../base/time.ts';
import type { ListedTurn, Round } from '../base/turn.ts';
import { useNear } from '../base/use-near.ts';
import { formatCount, formatUsd } from '../base/words.ts';
import { compareHref, turnHref } from '../route.ts';
import { AnswerForms } from '../turn/answer-form.tsx';
import { askRerun } from '../turn/rerun.tsx';
import { TroubleView } from '../turn/trouble-view.tsx';
import { Elapsed } from '../turn/turn-head.tsx';
import { WaitingView } from '../turn/waiting-view.tsx';
import { useWatched, type Watched } from '../watch/watched-turn.ts';
import { TurnPieces } from './turn-pieces.tsx';

type TurnProps = { listed: ListedTurn; isFollowed: boolean; refresh: () => unknown };

/** A turn in its thread: its input, work, answer and costs. */
export function ThreadTurn(props: TurnProps) {
  const { place, ...item } = useItem(props);
  const { refresh } = props;
  const { turn } = item;
  return (
    <li ref={place} class="thread-turn" data-turn={turn.id} tabIndex={-1}>
      <TurnPieces {...item} />
      <AnswerForms turn={turn} refresh={refresh} />
      {turn.required_action === null && <WaitingView waiting={turn.waiting} />}
      <TroubleView turn={turn} />
      <Foot turn={turn} refresh={refresh} />
    </li>
  );
}

/** The size to which tool results in a thread are cut. A person reads the whole result on request. */
const RESULT_BYTES = 4_000;

/**
 * Reads a turn with its details, for the element `place`. A followed turn is live, and is read again after its end.
 * Other turns read their rounds when the element is near the view.
 */
function useItem({ listed, isFollowed, refresh }: TurnProps) {
  const { watched } = useWatched(isFollowed ? listed.id : null);
  const { place, isNear } = useNear<HTMLLIElement>('400px');
  const [read, setRead] = useState<{ lastEvent: number; rounds: Round[] } | null>(null);
  const turn = newestOf(listed, watched);
  const { id, last_event: lastEvent } = turn;
  const isOver = turn.completed_at !== null;
  const followed = watched.turn ? { lastEvent: watched.turn.last_event, rounds: watched.rounds } : null;
  const details = read && read.lastEvent > (followed?.lastEvent ?? 0) ? read : followed;
  const isDue = !isFollowed && isNear && turn.rounds_count > 0 && details?.lastEvent !== lastEvent;
  useEffect(() => {
    if (isFollowed && isOver) refresh();
  }, [isFollowed, isOver, refresh]);
  useEffect(() => {
    if (!isDue) return;
    const leaving = new AbortController();
    const path = `/v1/turns/${id}?max_result_bytes=${RESULT_BYTES}`;
    call<{ rounds: Round[] }>('GET', path, { signal: leaving.signal }).then(
      ({ rounds }) => setRead({ lastEvent, rounds }),
      (error) => leaving.signal.aborted || notice(refusalOf(error).message),
    );
    return () => leaving.abort();
  }, [id, lastEvent, isDue]);
  return { turn, rounds: details?.rounds ?? null, live: watched.live, place };
}

/** Returns the turn with the later event. The list may be older than the stream, or newer after the stream's end. */
function newestOf(listed: ListedTurn, { turn, rounds }: Watched): ListedTurn {
  if (turn === null || listed.last_event > turn.last_event) return listed;
  return { ...listed, ...turn, rounds_count: rounds.length };
}

type FootProps = { turn: ListedTurn; refresh: () => unknown };

function Foot({ turn, refresh }: FootProps) {
  const { status, model, usage, created_at: createdAt, started_at: startedAt, completed_at: completedAt } = turn;
  const { schedule_id: scheduleId, rerun_of: rerunOf } = turn;
  return (
    <footer class="actions thread-foot meta">
      <StatusBadge status={status} />
      <span>{model}</span>
      {startedAt && <Elapsed from={startedAt} to={completedAt} everyMs={1_000} />}
      {usage.total_tokens > 0 && <span>{formatCount(usage.total_tokens)} tokens</span>}
      {usage.cost_usd !== null && usage.llm_calls > 0 && <span>{formatUsd(usage.cost_usd)}</span>}
      <time datetime={createdAt} title={formatDateTime(createdAt)}>
        {formatTimeOfDay(createdAt).slice(0, 5)}
      </time>
      {scheduleId && <a href="#/schedules">by a schedule</a>}
      {rerunOf && <a href={compareHref(rerunOf, turn.id)}>a rerun: compare</a>}
      <Actions turn={turn} refresh={refresh} />
    </footer>
  );
}

function Actions({ turn, refresh }: FootProps) {
  const { id, status, output, completed_at: completedAt } = turn;
  const ask = (verb: 'cancel' | 'retry') => async () => {
    await call('POST', `/v1/turns/${id}/${verb}`);
    await refresh();
  };
  return (
    <div class="actions offer">
      {status === 'failed' && (
        <ActionButton looks="quiet" title="Continues this turn from its last checkpoint." work={ask('retry')}>
          Retry
        </ActionButton>
      )}
      {output !== null && (
        <CopyButton text={() => output} label="Copy the answer">
          Copy
        </CopyButton>
      )}
      {completedAt === null ? (
        <ActionButton
          key="cancel"
          looks="quiet danger"
          title="Stops this turn and keeps its work."
          work={ask('cancel')}
        >
          Cancel
        </ActionButton>
      ) : (
        <ActionButton
          key="rerun"
          looks="quiet"
          title="Asks the same of a model of your choice, in a new conversation."
          work={() => askRerun(turn)}
        >
          Rerun
        </ActionButton>
      )}
      <a class="button quiet" href={turnHref(id)}>
        Timeline
      </a>
    </div>
  );
}
