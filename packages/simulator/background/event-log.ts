/** An event of a stream: its number, its bytes, and the characters of its delta. */
export type LoggedEvent = { number: number; type: string; text: string; chars: number };

/** How a log ends: after a terminal event, or because its response was lost. */
type LogEnd = 'ended' | 'lost';

type LogReader = { receive(events: LoggedEvent[]): void; end(how: LogEnd): void };

/** The events of a response, kept for all its readers. */
export type EventLog = {
  /** Returns the number of the next event. */
  length(): number;
  append(events: LoggedEvent[]): void;
  /** Ends all readers. A later end has no effect. */
  end(how: LogEnd): void;
  /** Sends the events after this number to a reader, and then each new event. Returns a function that stops it. */
  follow(after: number, reader: LogReader): () => void;
};

export function makeEventLog(): EventLog {
  const events: LoggedEvent[] = [];
  const readers = new Set<LogReader>();
  let ended: LogEnd | null = null;
  return {
    length: () => events.length,
    append(added) {
      events.push(...added);
      for (const reader of readers) reader.receive(added);
    },
    end(how) {
      ended ??= how;
      for (const reader of readers) reader.end(ended);
      readers.clear();
    },
    follow(after, reader) {
      const missed = events.slice(after + 1);
      if (missed.length) reader.receive(missed);
      if (ended) reader.end(ended);
      else readers.add(reader);
      return () => void readers.delete(reader);
    },
  };
}
