import type { LiveEvent } from '#core/turn/event.ts';
import { liveFrame } from './frame.ts';
import { makePassingEvents, type PassingEvent } from './passing-events.ts';
import { hasGap, hearRound, type RoundOnAir, startOf } from './round-on-air.ts';
import { type Stage, whenToShow } from './stage.ts';
import { NOTHING_TOLD, type Told, untold } from './untold.ts';

/** How much one stream has told of what is live. */
export type ToldLive = { round: Told; passing: number };

/** What is live of one turn, kept once for all its streams; each tells of it what it has not told yet. */
export type TurnOnAir = {
  hear(event: LiveEvent, stage: Stage | undefined): void;
  /** Drops what a stage has overtaken, shows what has waited for it. */
  settle(stage: Stage): void;
  /** Whether more of the running round has happened than was heard. */
  lacks(stage: Stage): boolean;
  /** What a stream that has told all durable events of a stage has to tell now. */
  untold(told: ToldLive, stage: Stage): { frames: Uint8Array[]; told: ToldLive };
  /** What a newcomer has told: nothing of what still goes on. */
  newcomer(): ToldLive;
  forget(): void;
};

/** Keeps what is live of one turn. */
export function makeTurnOnAir(): TurnOnAir {
  const passing = makePassingEvents();
  const frameOf = rememberFrames();
  let round: RoundOnAir | null = null;

  return {
    hear: (event, stage) => {
      if (stage && whenToShow(event, stage) === 'never') return;
      if ('attempt' in event) round = hearRound(round, event);
      if (isPassing(event)) passing.hear(event, stage);
    },
    settle: (stage) => {
      if (round && whenToShow(startOf(round), stage) === 'never') round = null;
      passing.settle(stage);
    },
    lacks: (stage) => stage.phase === 'round' && (!round || hasGap(round)),
    untold: (told, stage) => {
      const isShown = round && whenToShow(startOf(round), stage) === 'now';
      const ofRound = round && isShown ? untold(round, told.round) : { events: [], told: told.round };
      const passed = passing.after(told.passing).map(({ frame }) => frame);
      return {
        frames: [...ofRound.events.map(frameOf), ...passed],
        told: { round: ofRound.told, passing: passing.lastNumber() },
      };
    },
    newcomer: () => ({ round: NOTHING_TOLD, passing: 0 }),
    forget: () => {
      round = null;
    },
  };
}

/** Streams that keep pace tell the same: its bytes are made once. One memory for each type is enough for that. */
function rememberFrames(): (event: LiveEvent) => Uint8Array {
  const remembered = new Map<string, { place: string; frame: Uint8Array }>();

  return (event) => {
    const place = placeOf(event);
    const known = remembered.get(event.type);
    if (known?.place === place) return known.frame;
    const frame = liveFrame(event);
    remembered.set(event.type, { place, frame });
    return frame;
  };
}

/** The same place in the same try of a round holds the same text. */
function placeOf(event: LiveEvent): string {
  const attempt = 'attempt' in event ? event.attempt : '';
  const piece = 'offset' in event ? `${event.offset}+${event.delta.length}` : '';
  return `${event.round}.${attempt}:${piece}`;
}

function isPassing(event: LiveEvent): event is PassingEvent {
  return event.type.startsWith('tool_call.');
}
