import { styleText } from 'node:util';
import { paintWorker } from './paint-worker.ts';
import type { Screen } from './screen.ts';
import type { StepLog } from './step-log.ts';

type Try = { round: number; attempt: number };

/** The streamed text of the round that is under way. */
export type TextShow = {
  start(started: Try): void;
  add(piece: Try & { offset: number; delta: string }): void;
  /** Writes what is still missing of a round's text. */
  complete(round: number, text: string | null): void;
  /** The try broke off: what still arrives of it is not shown. */
  breakOff(): void;
};

/** Shows each try of a round from its beginning: a later try of the same round replaces the one before. */
export function showText(screen: Screen, steps: StepLog): TextShow {
  let current: Try & { length: number; isBroken: boolean } = { round: 0, attempt: 0, length: 0, isBroken: false };

  function start({ round, attempt }: Try): void {
    if (round < current.round || (round === current.round && attempt <= current.attempt)) return;
    current = { round, attempt, length: 0, isBroken: false };
    const who = paintWorker(steps.workerOn('round', round)?.name);
    const again = attempt > 1 ? `, attempt ${attempt}` : '';
    screen.gap();
    screen.say(`${styleText('bold', `round ${round}${again}`)} · ${who} asks the model`);
  }
  function speakFrom(text: string, offset: number): void {
    const fresh = text.slice(Math.max(0, current.length - offset));
    if (fresh === '' || offset > current.length) return;
    screen.speak(fresh);
    current.length = offset + text.length;
  }

  return {
    start,
    add: ({ offset, delta, ...place }) => {
      start(place);
      if (place.round === current.round && place.attempt === current.attempt && !current.isBroken)
        speakFrom(delta, offset);
    },
    complete: (round, text) => {
      start({ round, attempt: 1 });
      if (text !== null) speakFrom(text, 0);
    },
    breakOff: () => {
      screen.speak('…');
      current.isBroken = true;
    },
  };
}
