import type { LiveEvent } from '#core/turn/event.ts';
import { liveFrame } from './frame.ts';
import { type Stage, whenToShow } from './stage.ts';

/** The live events without an offset: shown to whoever is there and has room, in order, and else not at all. */
export type PassingEvent = Extract<LiveEvent, { type: `tool_call.${string}` }>;

/** The passing events of one turn; each that is shown has a number, so that a stream knows which it has told. */
export type PassingEvents = {
  hear(event: PassingEvent, stage: Stage | undefined): void;
  /** Shows what has waited for this stage and drops what it has overtaken. */
  settle(stage: Stage): void;
  /** What is still worth showing after a number. */
  after(number: number): Shown[];
  lastNumber(): number;
};

type Shown = { number: number; event: PassingEvent; frame: Uint8Array };

/** Events kept for streams that cannot take them at once, and events kept that came before their stage. */
const LIMIT = 64;

/** Keeps the passing events of one turn, a bounded number of them. */
export function makePassingEvents(): PassingEvents {
  let shown: Shown[] = [];
  let early: PassingEvent[] = [];
  let lastNumber = 0;

  function hear(event: PassingEvent, stage: Stage | undefined): void {
    if (isTwice(event, [...early, ...shown.map((entry) => entry.event)])) return;
    const when = stage ? whenToShow(event, stage) : 'later';
    if (when === 'later') early = [...early, event].slice(-LIMIT);
    if (when !== 'now') return;
    lastNumber += 1;
    shown = [...shown, { number: lastNumber, event, frame: liveFrame(event) }].slice(-LIMIT);
  }

  return {
    hear,
    settle: (stage) => {
      shown = shown.filter(({ event }) => whenToShow(event, stage) === 'now');
      for (const event of early.splice(0)) hear(event, stage);
    },
    after: (number) => (number >= lastNumber ? [] : shown.filter((entry) => entry.number > number)),
    lastNumber: () => lastNumber,
  };
}

/** Newcomers are told of calls that run: those who were there have heard it. */
function isTwice(event: PassingEvent, heard: PassingEvent[]): boolean {
  if (event.type !== 'tool_call.started') return false;
  return heard.some((one) => one.type === event.type && one.tool_call_id === event.tool_call_id);
}
