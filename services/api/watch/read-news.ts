import type { Db } from '#core/checkpoint/database.ts';
import { listEvents } from '#core/checkpoint/list-events.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { durableFrames } from './frame.ts';
import { readEvents } from './read-events.ts';
import { stageOf } from './stage.ts';
import type { WatchedTurn } from './watched-turn.ts';

const PAGE = 100;

/** Reads what is new of a watched turn and tells everybody who watches it. A turn that is gone ends them all. */
export async function readNews(watched: WatchedTurn, db: Db): Promise<void> {
  if (watched.isOutdated || (await hasNews(watched, db))) await readWhole(watched, db);
  for (const stream of watched.streams) stream.advance();
}

/** One look at the index; a long turn is not read again and again for nothing. */
async function hasNews({ id, stage }: WatchedTurn, db: Db): Promise<boolean> {
  if (!stage) return true;
  const [event] = await listEvents(db, id, { after: stage.lastEvent, limit: 1 });
  return event !== undefined;
}

async function readWhole(watched: WatchedTurn, db: Db): Promise<void> {
  watched.isOutdated = false;
  const turn = await loadTurn(db, watched.id, watched.known);
  watched.known = turn;
  if (!turn) {
    for (const watcher of [...watched.streams, ...watched.waiters]) watcher.end();
    return;
  }
  const after = watched.stage?.lastEvent ?? turn.lastEvent;
  const news = watched.streams.size > 0 ? await readEvents(db, turn, { after, limit: PAGE }) : [];
  watched.recent.add(durableFrames(turn, news));
  watched.stage = stageOf(turn);
  watched.onAir.settle(watched.stage);
  for (const waiter of watched.waiters) waiter.hear(turn);
}
