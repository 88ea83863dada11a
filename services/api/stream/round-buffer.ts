import type { LiveEvent } from '#core/turn/event.ts';
import { placeCalls } from '#core/turn/hosted/place-calls.ts';
import { type GrowingCalls, type HostedEvent, insertCall } from './hosted-calls.ts';

/** The part of the running round that was received so far. */
export type RoundBuffer = RoundAttempt & {
  turnId: string;
  texts: Record<TextDelta['type'], GrowingText>;
  hosted: GrowingCalls;
  /**
   * The length of the reasoning before the first text or call, and the position in the text at which a refusal
   * begins, once known.
   */
  reasoningLength: number | null;
  refusalFrom: number | null;
};

/** An attempt at a round. Runs of the same attempt differ by their draft number. */
type RoundAttempt = { round: number; attempt: number; draft: number };
type RoundEvent = Extract<LiveEvent, { attempt: number }>;
/** The deltas that are addressed by an offset. */
type TextDelta = Extract<LiveEvent, { offset: number }>;

/** Returns the buffer after a further event. A new attempt begins empty, and an older attempt is ignored. */
export function addRoundEvent(known: RoundBuffer | null, event: RoundEvent): RoundBuffer {
  const order = known ? compareAttempts(attemptOf(event), known) : 1;
  if (known && order < 0) return known;
  const buffer = withMarks(known && order === 0 ? known : beginOf(event), event);
  if ('hosted_call' in event) return { ...buffer, hosted: insertCall(buffer.hosted, event) };
  if (!('offset' in event)) return buffer;
  return { ...buffer, texts: { ...buffer.texts, [event.type]: insertDelta(buffer.texts[event.type], event) } };
}

/** Compares two attempts. Negative if the first is earlier, 0 if both are the same attempt at the same round. */
function compareAttempts(a: RoundAttempt, b: RoundAttempt): number {
  return a.round - b.round || a.attempt - b.attempt || a.draft - b.draft;
}

function attemptOf({ round, attempt, draft = 0 }: RoundEvent): RoundAttempt {
  return { round, attempt, draft };
}

function beginOf(event: RoundEvent): RoundBuffer {
  const nothing = { text: '', early: [] };
  const texts = { 'reasoning.delta': nothing, 'output_text.delta': nothing };
  const hosted = { events: [], early: [] };
  return { turnId: event.turn_id, ...attemptOf(event), texts, hosted, reasoningLength: null, refusalFrom: null };
}

function withMarks(buffer: RoundBuffer, event: RoundEvent): RoundBuffer {
  const { reasoning_length: reasoningLength = null, refusal_from: refusalFrom = null } = event;
  if (reasoningLength === null && refusalFrom === null) return buffer;
  return {
    ...buffer,
    reasoningLength: reasoningLength ?? buffer.reasoningLength,
    refusalFrom: refusalFrom ?? buffer.refusalFrom,
  };
}

/** Returns whether chunks are missing in between. */
export function hasGap({ texts, hosted }: RoundBuffer): boolean {
  return [...Object.values(texts), hosted].some(({ early }) => early.length > 0);
}

/** Returns the event that announces a round. A stream that begins later sends it too. */
export function startOf({ turnId, round, attempt }: RoundBuffer): Extract<LiveEvent, { type: 'round.started' }> {
  return { type: 'round.started', turn_id: turnId, round, attempt };
}

/** The position of a stream in a running round. */
export type Sent = RoundAttempt & { offsets: Record<TextDelta['type'], number>; hosted: number };

/** The position of a new stream. */
export const NOTHING_SENT: Sent = {
  round: 0,
  attempt: 0,
  draft: 0,
  offsets: { 'reasoning.delta': 0, 'output_text.delta': 0 },
  hosted: 0,
};

/**
 * Returns the parts of the running round that a stream has not sent yet: its start, once, and each text from the
 * stream's position, with the events about hosted calls in their places.
 */
export function unsent(buffer: RoundBuffer, sent: Sent): { events: LiveEvent[]; sent: Sent } {
  const order = compareAttempts(buffer, sent);
  if (order < 0) return { events: [], sent };
  const { offsets: from, hosted: sentCalls } = order > 0 ? NOTHING_SENT : sent;
  const reasoning = deltaFrom(buffer, 'reasoning.delta', from);
  const text = deltaFrom(buffer, 'output_text.delta', from);
  return {
    events: [
      ...(order > 0 ? [startOf(buffer)] : []),
      ...(reasoning.delta ? [reasoning] : []),
      ...placeCalls<TextDelta, HostedEvent>(text, buffer.hosted.events.slice(sentCalls)),
    ],
    sent: {
      ...{ round: buffer.round, attempt: buffer.attempt, draft: buffer.draft },
      offsets: offsetsAfter([reasoning, text], from),
      hosted: buffer.hosted.events.length,
    },
  };
}

function deltaFrom(buffer: RoundBuffer, type: TextDelta['type'], from: Sent['offsets']): TextDelta {
  const { turnId, round, attempt, texts } = buffer;
  return { type, turn_id: turnId, round, attempt, offset: from[type], delta: texts[type].text.slice(from[type]) };
}

function offsetsAfter(deltas: TextDelta[], from: Sent['offsets']): Sent['offsets'] {
  const moved = deltas.map(({ type, offset, delta }) => [type, offset + delta.length]);
  return { ...from, ...Object.fromEntries(moved) };
}

/** A text without gaps from its start, and the chunks that arrived too early. */
type GrowingText = { text: string; early: TextChunk[] };

/** A chunk of a text. `offset` is its start in UTF-16 code units. */
type TextChunk = { offset: number; delta: string };

/** The number of early chunks to keep. If more are missing, the text is requested from its start anyway. */
const EARLY_LIMIT = 16;

/** Puts a chunk at its offset. Known text is cut away, and an early chunk waits for its turn. */
export function insertDelta({ text, early }: GrowingText, { offset, delta }: TextChunk): GrowingText {
  if (offset > text.length) return { text, early: [...early, { offset, delta }].slice(-EARLY_LIMIT) };
  return insertEarly({ text: text + delta.slice(text.length - offset), early });
}

function insertEarly({ text, early }: GrowingText): GrowingText {
  if (early.length === 0) return { text, early };
  const [first, ...rest] = early.toSorted((a, b) => a.offset - b.offset);
  if (!first || first.offset > text.length) return { text, early };
  return insertEarly({ text: text + first.delta.slice(text.length - first.offset), early: rest });
}
