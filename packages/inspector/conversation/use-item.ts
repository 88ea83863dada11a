import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { notice } from '../base/buttons.tsx';
import { call, refusalOf } from '../base/call.ts';
import type { ListedTurn, Round } from '../base/turn.ts';
import { useNear } from '../base/use-near.ts';
import { useWatched } from '../watch/use-watched.ts';
import type { Watched } from '../watch/watched-turn.ts';
import type { Item } from './pieces.ts';

/** Tool results in a thread are cut to this size. A person reads the whole result on request. */
const RESULT_BYTES = 4_000;

type Details = { lastEvent: number; rounds: Round[] };

/** `ended` is called when a followed turn has ended. */
type Following = { isFollowed: boolean; ended: () => unknown };

/**
 * A turn with its details, for the element `place`. A followed turn is live. The rounds of any other turn are read when
 * the element is near the view.
 */
export function useItem(
  listed: ListedTurn,
  { isFollowed, ended }: Following,
): Item & { place: RefObject<HTMLLIElement | null> } {
  const { watched } = useWatched(isFollowed ? listed.id : null);
  const { place, isNear } = useNear<HTMLLIElement>('400px');
  const [read, setRead] = useState<Details | null>(null);
  const turn = newestOf(listed, watched);
  const { id, last_event: lastEvent } = turn;
  const isOver = turn.completed_at !== null;
  const followed = watched.turn ? { lastEvent: watched.turn.last_event, rounds: watched.rounds } : null;
  const details = read && read.lastEvent > (followed?.lastEvent ?? 0) ? read : followed;
  const isDue = !isFollowed && isNear && turn.rounds_count > 0 && details?.lastEvent !== lastEvent;
  useEffect(() => {
    if (isFollowed && isOver) ended();
  }, [isFollowed, isOver, ended]);
  useEffect(() => {
    if (!isDue) return;
    const leaving = new AbortController();
    readRounds(id, leaving.signal).then(
      (rounds) => setRead({ lastEvent, rounds }),
      (error) => leaving.signal.aborted || notice(refusalOf(error).message),
    );
    return () => leaving.abort();
  }, [id, lastEvent, isDue]);
  return { turn, rounds: details?.rounds ?? null, live: watched.live, place };
}

/** The turn with the later event: the list is older than the stream, or newer after the stream has ended. */
function newestOf(listed: ListedTurn, { turn, rounds }: Watched): ListedTurn {
  if (turn === null || listed.last_event > turn.last_event) return listed;
  return { ...listed, ...turn, rounds_count: rounds.length };
}

async function readRounds(id: string, signal: AbortSignal): Promise<Round[]> {
  const path = `/v1/turns/${id}?max_result_bytes=${RESULT_BYTES}`;
  return (await call<{ rounds: Round[] }>('GET', path, { signal })).rounds;
}
