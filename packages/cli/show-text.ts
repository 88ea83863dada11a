import { styleText } from 'node:util';
import type { Screen } from './screen.ts';

/** Who is on a step, as it is to be shown. */
export type NameWorker = (kind: 'round' | 'batch', round: number) => string;

/** The streamed text of the round that is under way. */
export type TextShow = {
  start(started: { round: number; attempt: number }): void;
  add(piece: { delta: string }): void;
  /** The try broke off: what still arrives of it is not shown. */
  breakOff(): void;
};

/** Shows each try of a round from its beginning: a later try of the same round replaces the one before. */
export function showText(screen: Screen, nameWorker: NameWorker): TextShow {
  let isBroken = false;

  return {
    start: ({ round, attempt }) => {
      isBroken = false;
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      screen.gap();
      screen.say(`${styleText('bold', `round ${round}${again}`)} · ${nameWorker('round', round)} asks the model`);
    },
    add: ({ delta }) => {
      if (!isBroken) screen.speak(delta);
    },
    breakOff: () => {
      screen.speak('…');
      isBroken = true;
    },
  };
}
