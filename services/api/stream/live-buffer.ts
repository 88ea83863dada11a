import type { LiveEvent } from '#core/turn/event.ts';
import { type Progress, whenToSend } from './progress.ts';
import { addRoundEvent, hasGap, NOTHING_SENT, type RoundBuffer, type Sent, startOf, unsent } from './round-buffer.ts';

/** The live events of a turn, kept once for all its streams. Each stream sends the events that it has not sent yet. */
export type LiveBuffer = {
  add(event: LiveEvent, progress: Progress | undefined): void;
  /** Drops events that are older than the progress, and offers events that waited for it. */
  settle(progress: Progress): void;
  /** Returns whether events of the running round were missed. */
  isBehind(progress: Progress): boolean;
  /** Returns the events that a stream has to send now, after all durable events of this progress. */
  unsent(sent: SentLive, progress: Progress): { events: LiveEvent[]; sent: SentLive };
  /** Returns the round that runs at this progress, as far as it was received. */
  running(progress: Progress): RoundBuffer | undefined;
  /** Returns the position of a new stream, which has sent no events of running work. */
  nothingSent(): SentLive;
  clear(): void;
};

/** The position of a stream in the live events. */
export type SentLive = { round: Sent; transient: number };

/** Keeps the live events of a turn. */
export function makeLiveBuffer(): LiveBuffer {
  const transient = makeTransientEvents();
  let round: RoundBuffer | null = null;

  return {
    add: (event, progress) => {
      if (progress && whenToSend(event, progress) === 'never') return;
      if ('attempt' in event) round = addRoundEvent(round, event);
      if (isTransient(event)) transient.add(event, progress);
    },
    settle: (progress) => {
      if (round && whenToSend(startOf(round), progress) === 'never') round = null;
      transient.settle(progress);
    },
    isBehind: (progress) => progress.phase === 'round' && (!round || hasGap(round)),
    unsent: (sent, progress) => {
      const isCurrent = round && whenToSend(startOf(round), progress) === 'now';
      const ofRound = round && isCurrent ? unsent(round, sent.round) : { events: [], sent: sent.round };
      return {
        events: [...ofRound.events, ...transient.after(sent.transient)],
        sent: { round: ofRound.sent, transient: transient.lastNumber() },
      };
    },
    running: (progress) => (round && whenToSend(startOf(round), progress) === 'now' ? round : undefined),
    nothingSent: () => ({ round: NOTHING_SENT, transient: 0 }),
    clear: () => {
      round = null;
    },
  };
}

/**
 * The live events without an offset. A connected stream with room sends them in order. Other streams never send them.
 */
type TransientEvent = Extract<LiveEvent, { type: `tool_call.${string}` }>;

function isTransient(event: LiveEvent): event is TransientEvent {
  return event.type.startsWith('tool_call.');
}

/**
 * The transient events of a turn. Each event that may be sent has a number, so that a stream knows which events it
 * has sent.
 */
type TransientEvents = {
  add(event: TransientEvent, progress: Progress | undefined): void;
  /** Offers the events that waited for this progress, and drops events that are older than it. */
  settle(progress: Progress): void;
  /** Returns the events after a number that are still current. */
  after(number: number): TransientEvent[];
  lastNumber(): number;
};

/** The events kept for streams without room, and the events that arrived before their progress. */
const LIMIT = 64;

/** Keeps a bounded number of transient events. */
function makeTransientEvents(): TransientEvents {
  let current: { number: number; event: TransientEvent }[] = [];
  let early: TransientEvent[] = [];
  let lastNumber = 0;

  function add(event: TransientEvent, progress: Progress | undefined): void {
    if (isRepeated(event, [...early, ...current.map((entry) => entry.event)])) return;
    const when = progress ? whenToSend(event, progress) : 'later';
    if (when === 'later') early = [...early, event].slice(-LIMIT);
    if (when !== 'now') return;
    lastNumber += 1;
    current = [...current, { number: lastNumber, event }].slice(-LIMIT);
  }

  return {
    add,
    settle: (progress) => {
      current = current.filter(({ event }) => whenToSend(event, progress) === 'now');
      for (const event of early.splice(0)) add(event, progress);
    },
    after: (number) => {
      if (number >= lastNumber) return [];
      return current.filter((entry) => entry.number > number).map(({ event }) => event);
    },
    lastNumber: () => lastNumber,
  };
}

/** A worker repeats the start of a running call for each new watcher. Earlier watchers have received it already. */
function isRepeated(event: TransientEvent, received: TransientEvent[]): boolean {
  if (event.type !== 'tool_call.started') return false;
  return received.some((one) => one.type === event.type && one.tool_call_id === event.tool_call_id);
}
