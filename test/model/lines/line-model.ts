import type { Model } from '../explore/model.ts';
import { type Left, plainModel } from '../explore/plain-model.ts';
import { brokenLine, isLineDone } from './line-history.ts';
import { movesOfLine } from './line-moves.ts';
import { firstLineState, type LineFault, type LineState } from './line-state.ts';
import type { LineScene } from './line-writes.ts';

/** The model of a conversation with its forks, its deletions, and what is erased (R20, R21, R22, R31). */
export function lineModel({ left, ...scene }: LineScene & { left: Left<LineFault> }): Model<LineState> {
  return plainModel({
    first: firstLineState(left),
    movesOf: (state, emit) => movesOfLine(state, scene, emit),
    brokenIn: (state) => brokenLine(state, scene.guards),
    isDone: isLineDone,
  });
}
