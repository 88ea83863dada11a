import type { LiveEvent } from '#core/turn/event.ts';
import { type Progress, whenToSend } from './progress.ts';
import { addRoundEvent, hasGap, NOTHING_SENT, type RoundBuffer, type Sent, startOf, unsent } from './round-buffer.ts';

/** The live events of one turn, kept once for all its streams; each sends what it has not sent yet. */
export type LiveBuffer = {
  add(event: LiveEvent, progress: Progress | undefined): void;
  /** Drops what the progress has overtaken, offers what has waited for it. */
  settle(progress: Progress): void;
  /** Whether more of the running round has happened than was received. */
  isBehind(progress: Progress): boolean;
  /** What a stream that has sent all durable events of this progress has to send now. */
  unsent(sent: SentLive, progress: Progress): { events: LiveEvent[]; sent: SentLive };
  /** The round that runs at this progress, as far as it was received. */
  running(progress: Progress): RoundBuffer | undefined;
  /** What a new stream has sent: nothing of what still goes on. */
  nothingSent(): SentLive;
  clear(): void;
};

/** How much of the live events one stream has sent. */
export type SentLive = { round: Sent; transient: number };

/** Keeps the live events of one turn. */
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

/** The live events without an offset: a stream that is there and has room sends them in order; others never do. */
type TransientEvent = Extract<LiveEvent, { type: `tool_call.${string}` }>;

function isTransient(event: LiveEvent): event is TransientEvent {
  return event.type.startsWith('tool_call.');
}

/** The transient events of one turn; each that may be sent has a number, so that a stream knows which it has sent. */
type TransientEvents = {
  add(event: TransientEvent, progress: Progress | undefined): void;
  /** Offers the events that have waited for this progress and drops those it has overtaken. */
  settle(progress: Progress): void;
  /** The events after a number that are still worth sending. */
  after(number: number): TransientEvent[];
  lastNumber(): number;
};

/** The events kept for streams without room, and the events kept that came before their progress. */
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

/** A worker repeats the start of a running call for each new watcher; the earlier ones have received it. */
function isRepeated(event: TransientEvent, received: TransientEvent[]): boolean {
  if (event.type !== 'tool_call.started') return false;
  return received.some((one) => one.type === event.type && one.tool_call_id === event.tool_call_id);
}
