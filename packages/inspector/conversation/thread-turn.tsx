import { ActionButton, CopyButton } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { StatusBadge } from '../base/fact-list.tsx';
import { formatDateTime, formatDuration, formatTimeOfDay, serverNow } from '../base/time.ts';
import type { ListedTurn } from '../base/turn.ts';
import { useClock } from '../base/use-fresh.ts';
import { formatCount, formatUsd } from '../base/words.ts';
import { compareHref, turnHref } from '../route.ts';
import { AnswerForms } from '../turn/answer-form.tsx';
import { askRerun } from '../turn/rerun.tsx';
import { TroubleView } from '../turn/trouble-view.tsx';
import { WaitingView } from '../turn/waiting-view.tsx';
import { PieceView } from './piece-view.tsx';
import { keyOf, piecesOf } from './pieces.ts';
import { useItem } from './use-item.ts';

type TurnProps = { listed: ListedTurn; isFollowed: boolean; refresh: () => unknown };

/** A turn in its thread: its input, its work, its answer and its costs. */
export function ThreadTurn({ listed, isFollowed, refresh }: TurnProps) {
  const { place, ...item } = useItem(listed, { isFollowed, ended: refresh });
  const { turn, live } = item;
  return (
    <li ref={place} class="thread-turn" data-turn={turn.id} tabIndex={-1}>
      {piecesOf(item).map((piece) => (
        <PieceView key={keyOf(piece)} piece={piece} turn={turn} live={live} />
      ))}
      <AnswerForms turn={turn} refresh={refresh} />
      {turn.required_action === null && <WaitingView waiting={turn.waiting} />}
      <TroubleView turn={turn} />
      <Foot turn={turn} refresh={refresh} />
    </li>
  );
}

type FootProps = { turn: ListedTurn; refresh: () => unknown };

function Foot({ turn, refresh }: FootProps) {
  const { status, model, usage, created_at: createdAt, schedule_id: scheduleId, rerun_of: rerunOf } = turn;
  return (
    <footer class="actions thread-foot meta">
      <StatusBadge status={status} />
      <span>{model}</span>
      <Lasted turn={turn} />
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

/** The duration of a turn. It grows while the turn runs. */
function Lasted({ turn: { started_at: from, completed_at: to } }: { turn: ListedTurn }) {
  useClock(from && !to ? 1_000 : null);
  if (!from) return null;
  return <span class="lasted">{formatDuration((to ? Date.parse(to) : serverNow()) - Date.parse(from))}</span>;
}
