import type { LiveEvent, StoredEvent } from '#core/turn/event.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { StreamFormat } from './format.ts';
import { shareRenderings } from './shared/renderings.ts';

/** The messages of a turn in a format, made once for all its streams. */
export type MessageCache = {
  add(turn: Turn, events: StoredEvent[]): void;
  /** Returns the durable messages after a number. Undefined if some are no longer kept: that stream reads alone. */
  after(number: number): DurableMessage[] | undefined;
  /** Makes messages of durable events on demand: a stream that stops early does not cost the rest. */
  durable(turn: Turn, events: StoredEvent[]): Iterable<DurableMessage>;
  live(event: LiveEvent): Uint8Array;
};

/** A durable event as a stream sends it. `bytes` are empty if the format omits the event. */
export type DurableMessage = { number: number; bytes: Uint8Array };

/** Keeps the last durable messages, and shares all messages that streams still hold. */
export function makeMessageCache(format: StreamFormat): MessageCache {
  const { bytesOf } = shareRenderings();
  let durable: DurableMessage[] = [];

  function* messagesOf(turn: Turn, events: StoredEvent[]): Generator<DurableMessage> {
    for (const event of events) {
      // The content of an event never changes, so its id is a sufficient key.
      yield { number: event.number, bytes: bytesOf(event.id, SAME, () => format.durableEvent(turn, event)) };
    }
  }
  return {
    add: (turn, events) => {
      for (const message of messagesOf(turn, events)) {
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
    durable: messagesOf,
    live: (event) => bytesOf(event.type, event, () => format.liveEvent(event)),
  };
}

const SAME = {};
const BYTES_LIMIT = 256 * 1024;

/** The last message always stays, so that a stream at the end never has to read alone. */
function firstThatFits(messages: DurableMessage[]): number {
  let bytes = 0;
  const tooFar = messages.findLastIndex((message, index) => {
    bytes += message.bytes.length;
    return bytes > BYTES_LIMIT && index < messages.length - 1;
  });
  return tooFar + 1;
}
