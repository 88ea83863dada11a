import { useEffect } from 'preact/hooks';
import { StatusBadge } from '../base/fact-list.tsx';
import { inOrder } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import { useClock } from '../base/use-fresh.ts';
import { titleOf } from '../base/words.ts';
import { PieceView } from '../conversation/piece-view.tsx';
import { piecesOf } from '../conversation/pieces.ts';
import { conversationHref, type Route, turnHref } from '../route.ts';
import { TroubleView } from '../turn/trouble-view.tsx';
import { useWatched } from '../watch/use-watched.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';
import { FiguresTable } from './figures-table.tsx';

/** Two turns side by side, live while they run: their figures, their rounds and their answers. */
export function ComparePage({ query }: Route) {
  const left = useWatched(query.get('left') ?? '');
  const right = useWatched(query.get('right') ?? '');
  const turns = [left.watched.turn, right.watched.turn];
  const isRunning = turns.some((turn) => turn?.completed_at === null);
  useClock(isRunning ? 1_000 : null);
  useEffect(() => {
    document.title = 'Side by side · Pawl';
  }, []);
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
  const shown = { ...turn, rounds_count: rounds.length };
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
      {inOrder(piecesOf({ turn: shown, rounds, live }), (piece) => (
        <PieceView piece={piece} turn={shown} live={live} />
      ))}
      <TroubleView turn={turn} />
    </section>
  );
}
