import { errorChunk } from '#core/turn/ui-message/chunk.ts';
import { makeUiTeller, type RunningStep, type UiTeller } from '#core/turn/ui-message/ui-teller.ts';
import { DONE, HEARTBEAT } from '../responses/stream/event-frame.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from '../stream/joined-stream.ts';
import type { TurnWatch } from '../stream/turn-watch.ts';
import type { WatchedTurn } from '../stream/watched-turn.ts';
import { chunkFrame } from './chunk-frame.ts';

/** Where a stream writes, and the last event of the turn that its client may know of: nothing older is told. */
type MessageStart = { lastEvent: number; sink: Sink };

/**
 * Tells a turn as a UI message from its start: what is committed as it is read, the text and the reasoning of the running
 * round as they come (contract-responses R60–R62). A slow client costs no memory. Whatever ends the stream before its
 * message, the client is told so: the SDK takes a silent end for the end of the message.
 */
export function followMessage(watch: TurnWatch, { lastEvent, sink }: MessageStart): EventStream {
  const teller = makeUiTeller();
  return joinWatch(watch, sink, (joined) => ({
    tell: () => tellKnown(watch.watched, { teller, joined, lastEvent }),
    heartbeat: HEARTBEAT,
    refusal: (refused) => chunkFrame(errorChunk(refused)),
    farewell: chunkFrame(errorChunk(STOPPING)),
  }));
}

const STOPPING = { code: 'server_stopping', message: 'This server stops. The turn goes on: ask for the stream again.' };

type Stream = { teller: UiTeller; joined: JoinedStream; lastEvent: number };

function tellKnown(watched: WatchedTurn, { teller, joined, lastEvent }: Stream): undefined {
  const { known } = watched;
  if (!known || known.lastEvent < lastEvent || !joined.hasRoom()) return;
  for (const chunk of teller.tell(known, runningStep(watched))) {
    joined.write(chunkFrame(chunk));
    if (!joined.hasRoom()) break;
  }
  const end = teller.end();
  if (end) joined.end(end === 'whole' ? DONE : undefined);
}

function runningStep({ progress, liveBuffer }: WatchedTurn): RunningStep | undefined {
  const running = progress && liveBuffer.running(progress);
  if (!running) return undefined;
  const { round, attempt, edition, texts, reasoningLength, refusalFrom } = running;
  const [reasoning, text] = [texts['reasoning.delta'].text, texts['output_text.delta'].text];
  return { round, attempt, edition, reasoning, reasoningLength, text, refusalFrom };
}
