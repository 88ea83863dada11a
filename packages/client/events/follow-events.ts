import type { EventOptions, TurnEvent } from '../pawl.ts';
import type { Api } from '../request-json.ts';
import { RETRY_FOR_MS, startRetries } from '../retry.ts';
import { readEvents } from './read-events.ts';

const HEADERS = { accept: 'text/event-stream' };

/** Yields a turn's events until it ends, and connects again as often as necessary. */
export async function* followEvents(
  api: Api,
  path: string,
  { after = 0, signal, patienceMs = api.patienceMs ?? RETRY_FOR_MS.watch, connected }: EventOptions = {},
): AsyncGenerator<TurnEvent, void, undefined> {
  const retries = startRetries({ patienceMs, signal });
  const position: StreamPosition = { last: after, isOver: false, deduplicate: deduplicateText() };
  const connection = trackConnection(connected);
  const connect = () =>
    api.exchange({ path, query: { after: position.last }, headers: HEADERS, signal }, async (response) => {
      connection.set(true);
      return response;
    });
  for (;;) {
    const failure = yield* yieldNew(position, connect, retries.reset);
    if (position.isOver) return;
    signal?.throwIfAborted();
    await retries.wait(failure, () => failure !== undefined && connection.set(false));
  }
}

/** Reports only changes of the connection, not each failed attempt. */
function trackConnection(connected: EventOptions['connected']) {
  let isConnected = true;
  return {
    set: (now: boolean) => {
      if (now !== isConnected) connected?.(now);
      isConnected = now;
    },
  };
}

/** The position after the yielded events, over all connections. */
type StreamPosition = { last: number; isOver: boolean; deduplicate: ReturnType<typeof deduplicateText> };

/** Yields the new events of one connection. Returns the failure if the connection failed. */
async function* yieldNew(
  position: StreamPosition,
  connect: () => Promise<Response>,
  onChunk: () => void,
): AsyncGenerator<TurnEvent, unknown, undefined> {
  try {
    const { status, body } = await connect();
    position.isOver = status === 204;
    for await (const event of body ? readEvents(body, { onChunk }) : []) {
      if (!isNew(event, position)) continue;
      yield* position.deduplicate(event);
      position.isOver = isLast(event);
      if (position.isOver) return;
    }
  } catch (failure) {
    return failure;
  }
}

/** Records the number of a durable event. Returns false if the event was yielded before. */
function isNew(event: TurnEvent, position: StreamPosition): boolean {
  if (!('sequence_number' in event)) return true;
  if (event.sequence_number <= position.last) return false;
  position.last = event.sequence_number;
  return true;
}

/** Returns whether an event is the last. After `turn.failed` the server decides, since the turn may be retried. */
function isLast({ type }: TurnEvent): boolean {
  return type === 'turn.completed' || type === 'turn.incomplete' || type === 'turn.cancelled';
}

type RoundAttempt = { round: number; attempt: number };
type TextType = 'output_text.delta' | 'reasoning.delta';
type HostedType = 'hosted_call.started' | 'hosted_call.completed';
type RoundText = RoundAttempt & Record<TextType, string> & { hosted: Set<string> };

function emptyRound(at: RoundAttempt): RoundText {
  return { ...at, 'output_text.delta': '', 'reasoning.delta': '', hosted: new Set() };
}

/**
 * Makes each attempt of a round yield its whole text, and each start and end of a hosted call, once over all
 * connections. Removes repeated text. Yields missed text before the event that completes the round or the turn.
 */
export function deduplicateText(): (event: TurnEvent) => TurnEvent[] {
  let known: RoundText = emptyRound({ round: 0, attempt: 0 });

  function begin({ round, attempt }: RoundAttempt): void {
    known = emptyRound({ round, attempt });
  }
  function missedText(
    { turn_id }: TurnEvent,
    { round, attempt, text }: RoundAttempt & { text: string | null },
  ): TurnEvent[] {
    const isCurrent = round === known.round;
    const isNewAttempt = isCurrent && text !== null && !text.startsWith(known['output_text.delta']);
    const at = { turn_id, round, attempt: isCurrent ? known.attempt + (isNewAttempt ? 1 : 0) : attempt };
    const started = newEvents({ type: 'round.started', ...at });
    return text === null
      ? started
      : [...started, ...newEvents({ type: 'output_text.delta', ...at, offset: 0, delta: text })];
  }
  function newEvents(event: TurnEvent): TurnEvent[] {
    if (!('attempt' in event)) return [...missedBefore(event), event];
    const order = event.round - known.round || event.attempt - known.attempt;
    if (order < 0 || (order === 0 && event.type === 'round.started')) return [];
    if (order > 0) begin(event);
    switch (event.type) {
      case 'output_text.delta':
      case 'reasoning.delta':
        return newDelta(known, event);
      case 'hosted_call.started':
      case 'hosted_call.completed':
        return newCall(known, event);
      default:
        return [event];
    }
  }
  function missedBefore(event: TurnEvent): TurnEvent[] {
    if (event.type === 'round.completed') {
      return missedText(event, { round: event.round, attempt: event.attempts, text: event.assistant_response });
    }
    const last = 'turn' in event && event.turn.output !== null ? event.turn.rounds.at(-1) : undefined;
    if (!last || !('turn' in event)) return [];
    return missedText(event, { round: last.number, attempt: last.attempts, text: event.turn.output });
  }
  return newEvents;
}

/** Returns the part of a delta that is new, and adds it to the known text. */
function newDelta(known: RoundText, event: Extract<TurnEvent, { type: TextType }>): TurnEvent[] {
  const { type, offset, delta } = event;
  const length = known[type].length;
  const fresh = delta.slice(length - offset);
  if (offset > length || fresh === '') return [];
  known[type] += fresh;
  return [{ ...event, offset: length, delta: fresh }];
}

/** Returns the start or the end of a hosted call if it is new. */
function newCall({ hosted }: RoundText, event: Extract<TurnEvent, { type: HostedType }>): TurnEvent[] {
  const key = `${event.type} ${event.hosted_call.id}`;
  if (hosted.has(key)) return [];
  hosted.add(key);
  return [event];
}
