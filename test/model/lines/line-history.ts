import type { LineGuards } from './line-guards.ts';
import { isFound, type Line, type LineState, type LineTurn, lineAt, turnAt } from './line-state.ts';

/** `history.ts`: the turns that a turn stands on, walked through its conversation and those it was forked from. */
export function historyOf(state: LineState, turn: LineTurn, guards: LineGuards): number[] {
  const history: number[] = [];
  let [conversation, before, reader] = [turn.conversation, turn.position, turn.position];
  let isOwn = true;
  for (;;) {
    state.turns.forEach((other, index) => {
      const isBefore = other.conversation === conversation && other.position < before;
      const isPassed = !isReadBy(other, reader, guards) && (isOwn || guards.forkPassesTheDeleted);
      if (isBefore && other.stored && !other.erased && !isPassed) history.push(index);
    });
    const origin = lineAt(state, conversation).forkedFrom;
    if (origin === null || turnAt(state, origin).erased) return history.sort();
    const { position } = turnAt(state, origin);
    conversation = turnAt(state, origin).conversation;
    before = position + 1;
    isOwn = false;
    if (guards.forkReadsAsItsOrigin) reader = position;
  }
}

/** A turn that was deleted while none stood on it is in the history of none that came later (R21). */
function isReadBy({ until }: LineTurn, position: number, guards: LineGuards): boolean {
  return until === null || until >= position || !guards.deletedTurnIsPassed;
}

/** What must be true of all turns that a caller finds, or that are still worked. */
export function brokenLine(state: LineState, guards: LineGuards): string | null {
  if (state.runs > 1) return 'a call that may be made once was made in two lines';
  const isAtWork = ({ forkedFrom, isErased }: Line) =>
    forkedFrom !== null && !isErased && turnAt(state, forkedFrom).status !== 'ended';
  if (state.conversations.some(isAtWork)) return 'a fork stands on a turn that is still at work';
  for (const turn of state.turns) {
    if (turn.erased || (turn.status === 'ended' && !isFound(turn))) continue;
    const history = historyOf(state, turn, guards);
    if (history.join() !== turn.standsOn.join()) return 'the history of a turn changed';
    const answers = [...history.map((index) => turnAt(state, index)), turn].filter((other) => other.answers);
    if (answers.length > 1) return 'a call was answered twice in one line';
  }
  return null;
}

/** Whether all turns have ended, and nothing is left that no caller finds and nothing stands on. */
export function isLineDone({ turns, looked, found }: LineState): boolean {
  if (looked || found.length > 0 || turns.some(({ status }) => status !== 'ended')) return false;
  const kept = new Set(turns.filter(isFound).flatMap(({ standsOn }) => standsOn));
  return turns.every((turn, index) => isFound(turn) || turn.erased || kept.has(index));
}
