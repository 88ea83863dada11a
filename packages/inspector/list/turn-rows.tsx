import { Age, StatusBadge } from '../base/fact-list.tsx';
import { formatDuration, formatElapsed } from '../base/time.ts';
import type { ListedTurn } from '../base/turn.ts';
import { formatShort, formatUsd, roundsOf, titleOf, troubleOf } from '../base/words.ts';
import { turnHref } from '../route.ts';

/** The minimum number of equal failures that share a row. */
const FEWEST = 3;

/** Turns as rows. Consecutive equal failures share a row, which a person can open. */
export function TurnRows({ turns }: { turns: ListedTurn[] }) {
  const seen: (string | null)[] = [];
  return runsOf(turns).flatMap(({ failure, run }) => {
    const rows = run.map((turn) => (
      <li key={turn.id}>
        <a class="row" href={turnHref(turn.id)}>
          <TurnCells turns={[turn]} />
        </a>
      </li>
    ));
    if (run.length < FEWEST) return rows;
    seen.push(failure);
    // An open run stays open when its turns change, since its key has the failure and a number.
    return [
      <li key={`${failure} ${seen.filter((other) => other === failure).length}`}>
        <details>
          <summary class="row">
            <TurnCells turns={run} />
          </summary>
          <ol>{rows}</ol>
        </details>
      </li>,
    ];
  });
}

function runsOf(turns: ListedTurn[]): { failure: string | null; run: ListedTurn[] }[] {
  const runs: { failure: string | null; run: ListedTurn[] }[] = [];
  for (const turn of turns) {
    const failure = turn.status === 'failed' ? `${turn.error?.code} ${titleOf(turn)}` : null;
    const last = runs.at(-1);
    if (failure !== null && last?.failure === failure) last.run.push(turn);
    else runs.push({ failure, run: [turn] });
  }
  return runs;
}

/** The cells of the newest turn of a run, with the tokens and cost of the whole run. */
export function TurnCells({ turns }: { turns: ListedTurn[] }) {
  const [turn] = turns;
  const isRun = turns.length > 1;
  if (!turn) return null;
  const trouble = troubleOf(turn);
  return (
    <>
      <span>
        <StatusBadge status={turn.status} />
      </span>
      <span class="subject">
        <span class="title">{titleOf(turn)}</span>
        {isRun && <b>{`×${turns.length}`}</b>}
        {trouble && (
          <span class="why">
            <code>{trouble.code}</code> {trouble.message}
          </span>
        )}
      </span>
      <span class="meta model">{turn.model}</span>
      <span class="meta">{isRun || roundsOf(turn)}</span>
      <span class="meta">{isRun || durationOf(turn)}</span>
      <span class="meta">{tokensOf(turns)}</span>
      <span class="meta">{costOf(turns)}</span>
      <Age at={turn.created_at} />
    </>
  );
}

function tokensOf(turns: ListedTurn[]) {
  const tokens = turns.reduce((sum, { usage }) => sum + usage.input_tokens + usage.output_tokens, 0);
  return tokens > 0 && `${formatShort(tokens)} tokens`;
}

function costOf(turns: ListedTurn[]) {
  const usd = turns.reduce((sum, { usage }) => sum + (usage.cost_usd ?? 0), 0);
  return usd > 0 && formatUsd(usd);
}

/** Returns the time from the start of a turn to its end, or until now. */
function durationOf({ started_at: startedAt, completed_at: completedAt }: ListedTurn) {
  if (startedAt === null) return '';
  if (completedAt !== null) return formatDuration(Date.parse(completedAt) - Date.parse(startedAt));
  return formatElapsed(startedAt);
}
