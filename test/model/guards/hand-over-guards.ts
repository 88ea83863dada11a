import { type Guard, TURN, WORKER } from './guard.ts';

const handed = { calls: 'handed' } as const;

/** The guards of calls that the caller answers in a later turn: R19. */
export const handOverGuards = {
  handedOverIsSettled: {
    ...{ rule: 'R19', file: `${WORKER}/round/new-calls.ts`, code: '? HANDED_OVER : null' },
    without: 'a call that is handed over is saved as open',
    ...{ scene: handed, faults: {}, caught: 'stuck' },
  },
  handOverEndsTurn: {
    ...{ rule: 'R19', file: `${TURN}/next-step.ts` },
    code: "if (isHandedOver(turn)) return kind: 'end', because: 'hand-over' ;",
    without: 'a next round is requested although calls of the last round are handed over',
    ...{ scene: handed, faults: {}, caught: 'the model was asked about a call that the caller answers' },
  },
} satisfies Record<string, Guard>;
