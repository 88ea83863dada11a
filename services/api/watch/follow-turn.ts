import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { durableFrames, type Frame, HEARTBEAT } from './frame.ts';
import { readEvents } from './read-events.ts';
import type { Stage } from './stage.ts';
import type { ToldLive } from './turn-on-air.ts';
import type { WatchContext, Watching } from './watch-turn.ts';

/** Where a stream writes. Each frame is one write; nothing is written while it is not ready. */
export type Sink = { isReady(): boolean; write(frame: Uint8Array): void; end(): void };

/** A stream that follows a turn: `advance` when the sink has room again, `leave` when its reader is gone. */
export type Following = { advance(): void; leave(): void };

type Telling = {
  watching: Watching;
  context: WatchContext;
  sink: Sink;
  toldUpTo: number;
  /** How far the turn had come when this stream last read it for itself. */
  readUpTo: number;
  toldLive: ToldLive;
  isBusy: boolean;
  isOver: boolean;
  leave(): void;
};

const PAGE = 50;

/**
 * Tells a turn's durable events after a number, each once and in order, and in between what is live, to the end of
 * the turn. A slow reader costs no memory: what he has no room for is taken from the turn again when he has.
 */
export function followTurn(
  watching: Watching,
  context: WatchContext,
  { after, sink }: { after: number; sink: Sink },
): Following {
  const toldLive = watching.watched.onAir.newcomer();
  const telling: Telling = {
    watching,
    context,
    sink,
    toldUpTo: after,
    readUpTo: 0,
    toldLive,
    isBusy: false,
    isOver: false,
    leave: () => {},
  };
  telling.leave = watching.addStream({
    advance: () => void advance(telling),
    beat: () => beat(telling),
    end: () => end(telling),
  });
  return { advance: () => void advance(telling), leave: () => leave(telling) };
}

async function advance(telling: Telling): Promise<void> {
  if (telling.isBusy || telling.isOver) return;
  telling.isBusy = true;
  try {
    while (!tellWhatIsHere(telling)) await telling.context.underWay.add(readOn(telling));
  } catch (error) {
    telling.watching.readLater(error);
  } finally {
    telling.isBusy = false;
  }
}

/**
 * Tells what is in memory; false where this stream is so far behind that it has to read for itself. What it has told is then
 * newer than the stage may be: until that is read again, nobody can say which live events are late.
 */
function tellWhatIsHere(telling: Telling): boolean {
  const { stage, recent } = telling.watching.watched;
  if (!stage) return true;
  while (hasRoom(telling) && telling.toldUpTo < stage.lastEvent) {
    const frames = recent.after(telling.toldUpTo);
    if (!frames) return false;
    tellDurable(telling, frames);
  }
  if (telling.toldUpTo < stage.lastEvent) return true;
  if (stage.phase === 'ended') end(telling);
  else if (telling.readUpTo > stage.lastEvent) telling.watching.readAgain();
  else if (hasRoom(telling)) tellLive(telling, stage);
  return true;
}

function tellDurable(telling: Telling, frames: Iterable<Frame>): void {
  for (const { number, bytes } of frames) {
    if (!hasRoom(telling)) return;
    telling.toldUpTo = number;
    telling.sink.write(bytes);
  }
}

function tellLive(telling: Telling, stage: Stage): void {
  const { frames, told } = telling.watching.watched.onAir.untold(telling.toldLive, stage);
  telling.toldLive = told;
  for (const frame of frames) telling.sink.write(frame);
}

/** Reads a page for this stream alone. A turn that has nothing more, although it should, is gone. */
async function readOn(telling: Telling): Promise<void> {
  const { watching, context, toldUpTo } = telling;
  const { db } = context;
  const turn = await loadTurn(db, watching.watched.id);
  const events = turn ? await readEvents(db, turn, { after: toldUpTo, limit: PAGE }) : [];
  if (!turn || events.length === 0) return end(telling);
  telling.readUpTo = turn.lastEvent;
  tellDurable(telling, durableFrames(turn, events));
}

function beat(telling: Telling): void {
  if (hasRoom(telling)) telling.sink.write(HEARTBEAT);
}

function end(telling: Telling): void {
  if (telling.isOver) return;
  leave(telling);
  telling.sink.end();
}

function leave(telling: Telling): void {
  telling.isOver = true;
  telling.leave();
}

function hasRoom({ isOver, sink }: Telling): boolean {
  return !isOver && sink.isReady();
}
