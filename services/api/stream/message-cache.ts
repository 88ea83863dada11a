import type { LiveEvent, StoredEvent } from '#core/turn/event.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { StreamFormat } from './format.ts';

/** The messages of one turn in one format, made once for all its streams. */
export type MessageCache = {
  add(turn: Turn, events: StoredEvent[]): void;
  /** The durable messages after a number; undefined where not all of them are kept: that stream reads by itself. */
  after(number: number): DurableMessage[] | undefined;
  live(event: LiveEvent): Uint8Array;
};

/** One durable event as a stream sends it; `bytes` are empty where the format says nothing of the event. */
export type DurableMessage = { number: number; bytes: Uint8Array };

/** Keeps the last durable messages and the last live one of each type. */
export function makeMessageCache(format: StreamFormat): MessageCache {
  let durable: DurableMessage[] = [];

  return {
    add: (turn, events) => {
      for (const message of durableMessages(format, turn, events)) {
        const isNext = durable.at(-1)?.number === message.number - 1;
        durable = isNext ? [...durable, message] : [message];
      }
      durable = durable.slice(firstThatFits(durable));
    },
    after: (number) => {
      const [first] = durable;
      const last = durable.at(-1);
      if (!first || !last || first.number > number + 1 || last.number <= number) return undefined;
      return durable.slice(number + 1 - first.number);
    },
    live: rememberLive(format),
  };
}

/** Durable events as messages, one by one: a stream that stops half-way does not pay for the rest. */
export function* durableMessages(format: StreamFormat, turn: Turn, events: StoredEvent[]): Generator<DurableMessage> {
  for (const event of events) yield { number: event.number, bytes: Buffer.from(format.durableEvent(turn, event)) };
}

const BYTES_LIMIT = 256 * 1024;

/** The last message always stays: a stream that keeps pace must not read by itself. */
function firstThatFits(messages: DurableMessage[]): number {
  let bytes = 0;
  const tooFar = messages.findLastIndex((message, index) => {
    bytes += message.bytes.length;
    return bytes > BYTES_LIMIT && index < messages.length - 1;
  });
  return tooFar + 1;
}

/** Streams that keep pace send the same live events: one remembered message for each type is enough for them. */
function rememberLive(format: StreamFormat): MessageCache['live'] {
  const remembered = new Map<LiveEvent['type'], { event: LiveEvent; bytes: Uint8Array }>();

  return (event) => {
    const known = remembered.get(event.type);
    if (known && isSame(known.event, event)) return known.bytes;
    const bytes = Buffer.from(format.liveEvent(event));
    remembered.set(event.type, { event, bytes });
    return bytes;
  };
}

/** Whether two live events of a round say the same. */
function isSame(a: LiveEvent, b: LiveEvent): boolean {
  if (a === b) return true;
  if (!('attempt' in a && 'attempt' in b) || a.round !== b.round || a.attempt !== b.attempt) return false;
  if (a.type === 'round.started') return b.type === a.type;
  return 'offset' in a && 'offset' in b && a.offset === b.offset && a.delta === b.delta;
}
