import { StatusBadge } from '../base/fact-list.tsx';
import { useTitle } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import { formatDuration, msBetween } from '../base/time.ts';
import type { Turn } from '../base/turn.ts';
import { useClock } from '../base/use-fresh.ts';
import { formatCount, formatUsd, titleOf } from '../base/words.ts';
import { TurnPieces } from '../conversation/turn-pieces.tsx';
import { conversationHref, type Route, turnHref } from '../route.ts';
import { TroubleView } from '../turn/trouble-view.tsx';
import { type KnownTurn, useWatched } from '../watch/watched-turn.ts';

/** Two turns side by side, live while they run: their figures, rounds and answers. */
export function ComparePage({ query }: Route) {
  const left = useWatched(query.get('left') ?? '');
  const right = useWatched(query.get('right') ?? '');
  const turns = [left.watched.turn, right.watched.turn];
  const isRunning = turns.some((turn) => turn?.completed_at === null);
  useClock(isRunning ? 1_000 : null);
  useTitle('Side by side');
  const [first, second] = turns;
  const isRefused = left.watched.readError !== null || right.watched.readError !== null;
  return (
    <>
      <h1>{first ? titleOf(first) : 'Side by side'}</h1>
      <Refusal refused={left.watched.readError} again={left.refresh} />
      <Refusal refused={right.watched.readError} again={right.refresh} />
      {first && second ? (
        <>
          <FiguresTable turns={[first, second]} />
          <div class="sides">
            <Side name="Left" watched={{ ...left.watched, turn: first }} />
            <Side name="Right" watched={{ ...right.watched, turn: second }} />
          </div>
        </>
      ) : (
        !isRefused && <Skeleton />
      )}
    </>
  );
}

function Side({ name, watched: { turn, rounds, live } }: { name: string; watched: KnownTurn }) {
  return (
    <section class="panel side" aria-label={name}>
      <header class="facts-line">
        <h2>{turn.model}</h2>
        <StatusBadge status={turn.status} />
        <a class="meta" href={turnHref(turn.id)}>
          Timeline
        </a>
        <a class="meta" href={conversationHref(turn.conversation_id)}>
          Conversation
        </a>
      </header>
      <TurnPieces turn={{ ...turn, rounds_count: rounds.length }} rounds={rounds} live={live} />
      <TroubleView turn={turn} />
    </section>
  );
}

type Figure = [name: string, of: (turn: Turn) => number | null, format: (value: number) => string];

const FIGURES: Figure[] = [
  ['Time', ({ started_at: at, completed_at: to }) => (at === null ? null : msBetween(at, to)), formatDuration],
  ['Rounds', ({ round }) => round, formatCount],
  ['Tool calls', ({ usage }) => usage.tool_calls, formatCount],
  ['Tokens in', ({ usage }) => usage.input_tokens, formatCount],
  ['Tokens out', ({ usage }) => usage.output_tokens, formatCount],
  ['Cost', ({ usage }) => usage.cost_usd, formatUsd],
];

/** The figures of two turns in columns, with the change from the first to the second. */
function FiguresTable({ turns }: { turns: [Turn, Turn] }) {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          {turns.map(({ id, model }) => (
            <th key={id} scope="col">
              {model}
            </th>
          ))}
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {FIGURES.map(([name, of, format]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {turns.map((turn) => (
              <td key={turn.id}>{formatKnown(of(turn), format)}</td>
            ))}
            <td class="meta">{changeOf(of(turns[0]), of(turns[1]))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatKnown(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

function changeOf(before: number | null, after: number | null): string {
  if (before === null || after === null || before === 0) return '–';
  if (before === after) return 'equal';
  const percent = ((after - before) / before) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en', { maximumFractionDigits: 0 })} %`;
}
