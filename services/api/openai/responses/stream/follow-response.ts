import { listAnswered } from '#core/checkpoint/turns/reading/events.ts';
import { callsOf } from '#core/turn/call.ts';
import { type LatestDraft, placeAfter } from '#core/turn/responses/events.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import { draftStart, LOG_START, type LogPosition, type LogSection, readSection } from '#core/turn/responses/log.ts';
import { eventsOfPieces, type ResponseEvent, type ResponsePiece, sizeOfPieces } from '#core/turn/responses/piece.ts';
import { runningPieces } from '#core/turn/responses/running-round.ts';
import { decideSending, type LatestPieces, type SentPieces, sentBefore } from '#core/turn/responses/sent.ts';
import type { Turn } from '#core/turn/turn.ts';
import { cursorBeyondEnd } from '../../../stream/cursor-end.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from '../../../stream/joined-stream.ts';
import { runningRound } from '../../../stream/running-round.ts';
import { makeSharedPieces } from '../../../stream/shared/shared-pieces.ts';
import type { TurnWatch, WatchContext } from '../../../stream/turn-watch.ts';
import { filledTurn, fillImages } from '../images/fill-images.ts';
import type { StateSeals } from '../sealing/state-seals.ts';
import { DONE, errorFrame, HEARTBEAT, sharedEventFrame } from './event-frame.ts';

/**
 * The options of a stream: the last number that the client has (-1: none), the latest draft number of the turn that
 * its request read, the sink, and the seals of state for its client.
 */
type ResponseStart = { after: number; current: LatestDraft | null; sink: Sink; stateSeals: StateSeals };

/**
 * Streams a response's events after a number, each once and in order: committed events when they are read, the text
 * and reasoning of the running round live. A slow client costs no memory.
 */
export function followResponse(watch: TurnWatch, context: WatchContext, start: ResponseStart): EventStream {
  const { after, current, sink, stateSeals } = start;
  return joinWatch(watch, sink, (joined) => {
    const stream: StreamState = {
      ...{ watch, context, joined, stateSeals, current, position: LOG_START, sent: after, sentPieces: null },
      answered: { round: 0, count: 0, order: [] },
    };
    return {
      send: () => readFor(stream, sendKnown(stream)),
      heartbeat: HEARTBEAT,
      refusal: ({ code, message }) => errorFrame({ code, message, number: stream.sent + 1 }),
    };
  });
}

type StreamState = {
  watch: TurnWatch;
  context: WatchContext;
  stateSeals: StateSeals;
  joined: JoinedStream;
  current: LatestDraft | null;
  /** The position after the last committed section that was sent completely. */
  position: LogPosition;
  /** The number of the last event that the client has. */
  sent: number;
  /** The pieces of the running round that were sent at that position. */
  sentPieces: SentPieces | null;
  answered: Answered;
};

/** The order in which the calls of a round were answered, when `count` calls had answers. */
type Answered = { round: number; count: number; order: number[] };

/** The data that the next event needs. */
type Missing = 'order' | 'images' | null;

function readFor(stream: StreamState, missing: Missing): Promise<void> | undefined {
  if (missing === null) return undefined;
  return missing === 'order' ? readOrder(stream) : readImages(stream);
}

/** Sends the known events, as far as there is room. Returns the data to read before the next event. */
function sendKnown(stream: StreamState): Missing {
  for (;;) {
    const { known } = stream.watch.watched;
    if (!known || !stream.joined.hasRoom()) return null;
    if (!filledTurn(known)) return 'images';
    if (isOrderMissing(stream, known)) return 'order';
    const { position, answered, stateSeals } = stream;
    const section = sharedSection(known, position, { order: answered.order, stateSeals });
    if (!section) sendRunning(stream, known);
    if (!section || !sendSection(stream, section)) return null;
  }
}

/** Sends a committed section. Returns false if the stream cannot move past the section yet. */
function sendSection(stream: StreamState, { from, round, pieces, ...section }: LogSection): boolean {
  if (round && !maySend(stream, { draft: round.draft, attempt: null, isCommitted: true, pieces })) return false;
  stream.sentPieces = null;
  if (!sendPieces(stream, pieces, { from, isOpen: false })) return false;
  if (section.isEnd) stream.joined.end(stream.sent > from ? beyondEndFrame(stream, from) : DONE);
  if (section.isEnd || !section.isWhole) return false;
  stream.position = section.next;
  return true;
}

function sendRunning(stream: StreamState, turn: Turn): void {
  const { position, watch, current } = stream;
  const running = runningRound(watch.watched, current);
  if (!running || position.rounds !== running.round - 1) return;
  const { attempt, draft } = running;
  const pieces = runningPieces(turn, running, position.items);
  if (!maySend(stream, { draft, attempt, isCommitted: false, pieces })) return;
  const from = draftStart(position, draft);
  sendPieces(stream, pieces, { from, isOpen: true });
  const units = placeAfter(stream.sent, from);
  // If there are fewer pieces than the client has, the rest stays unknown.
  if (units > 0 && sizeOfPieces(pieces) >= units)
    stream.sentPieces = { draft, attempt, units, pieces: sharePieces(watch.watched, running, pieces) };
}

const sharePieces = makeSharedPieces<ResponseEvent>();

/** Returns whether pieces of the round at the position may be sent. Pieces sent before count for their draft. */
function maySend(stream: StreamState, now: LatestPieces): boolean {
  const sentPieces = stream.sentPieces ?? sentBefore(stream.position, stream.sent);
  const next = decideSending(sentPieces, now);
  if (next === 'superseded') stream.joined.end(supersededFrame(stream));
  if (next !== 'send') return false;
  if (sentPieces) stream.sent = Math.max(stream.sent, draftStart(stream.position, now.draft) + sentPieces.units - 1);
  return true;
}

/** While a response runs, only its end shows whether the client's number is beyond its last event. */
function beyondEndFrame({ sent, watch }: StreamState, last: number): string {
  const { code, message } = cursorBeyondEnd({
    ...{ param: 'starting_after', given: sent, last, id: responseIdOf(watch.watched.id) },
  });
  return errorFrame({ code, message, number: last + 1 });
}

function supersededFrame({ sent }: StreamState): string {
  const message =
    'The model restarted this reply with another text. The response continues. Discard the events so far, and request the stream again without `starting_after`.';
  return errorFrame({ code: 'stream_superseded', message, number: sent + 1 });
}

/** Returns whether calls of the batch at the position were answered in an unknown order. */
function isOrderMissing({ position, answered }: StreamState, turn: Turn): boolean {
  const round = batchAt(position);
  const count = countAnswered(turn, round);
  return count > 1 && (answered.round !== round || answered.count < count);
}

async function readImages({ context, watch }: StreamState): Promise<void> {
  const { known } = watch.watched;
  if (known) await context.pendingReads.add(fillImages(context.db, known));
}

async function readOrder(stream: StreamState): Promise<void> {
  const { context, watch, position } = stream;
  const { known, id } = watch.watched;
  if (!known) return;
  const round = batchAt(position);
  const read = () => context.pendingReads.add(listAnswered(context.db, id, round));
  const order = await sharedOrder(known, round, read);
  stream.answered = { round, count: countAnswered(known, round), order };
}

/**
 * Returns the batch with the results at a position: the adopted calls at the beginning, else the calls of the round.
 */
function batchAt({ rounds }: LogPosition): number {
  return rounds === null ? 0 : rounds + 1;
}

function countAnswered(turn: Turn, round: number): number {
  return callsOf(turn, round).filter(({ result }) => result !== null && result.status !== 'handed_over').length;
}

/**
 * Sends further pieces while there is room. Returns false if there was not enough room. `isOpen`: their round still
 * runs.
 */
function sendPieces(
  stream: StreamState,
  pieces: readonly ResponsePiece[],
  at: { from: number; isOpen: boolean },
): boolean {
  const { joined, watch } = stream;
  for (const event of eventsOfPieces(pieces, { ...at, place: placeAfter(stream.sent, at.from) })) {
    if (!joined.hasRoom()) return false;
    joined.write(sharedEventFrame(watch.watched, event, at.isOpen));
    stream.sent = event.sequence_number;
  }
  return true;
}

/** The number of sections of a turn that streams share. Streams further apart read their own sections. */
const SHARED = 64;

const shared = new WeakMap<Turn, Map<number | null, LogSection | undefined>>();

/**
 * The order in which the calls at the position were answered, as far as the turn has results, and the seals of state.
 */
type Reading = { order: readonly number[]; stateSeals: StateSeals };

/**
 * Reads the section of a turn after a position, once for all streams of the turn. All streams get the same event
 * objects, so they also share their bytes.
 */
function sharedSection(known: Turn, position: LogPosition, { order, stateSeals }: Reading) {
  const sections = shared.get(known) ?? new Map<number | null, LogSection | undefined>();
  shared.set(known, sections);
  if (!sections.has(position.rounds)) {
    sections.set(
      position.rounds,
      readSection(stateSeals.sealRounds(filledTurn(known) ?? known), position, () => order),
    );
    for (const oldest of sections.keys()) if (sections.size > SHARED) sections.delete(oldest);
  }
  return sections.get(position.rounds);
}

const orders = new WeakMap<Turn, Map<number, Promise<number[]>>>();

/**
 * Reads the order in which the calls of a batch were answered, once for all streams of a turn. A failed read is not
 * kept.
 */
function sharedOrder(known: Turn, round: number, read: () => Promise<number[]>): Promise<number[]> {
  const ofTurn = orders.get(known) ?? new Map<number, Promise<number[]>>();
  orders.set(known, ofTurn);
  const running = ofTurn.get(round);
  if (running) return running;
  const order = read();
  ofTurn.set(round, order);
  order.catch(() => ofTurn.delete(round));
  return order;
}
