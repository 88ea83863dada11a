import { at } from '../explore/plain-model.ts';
import type { ThreadGuards } from './thread-guards.ts';
import { type Conversation, isFound, type ThreadState, type ThreadTurn } from './thread-state.ts';

/** Models `history.ts`: returns the turns before a turn, through its conversation and its origins. */
export function historyOf(state: ThreadState, turn: ThreadTurn, guards: ThreadGuards): number[] {
  const history: number[] = [];
  let [conversation, before, reader] = [turn.conversation, turn.position, turn.position];
  let isOwn = true;
  let forkedAfter: number | null = null;
  for (;;) {
    state.turns.forEach((other, index) => {
      const isBefore = other.conversation === conversation && other.position < before;
      const isKept = forkedAfter !== null && isKeptBy(other, forkedAfter, guards);
      const isPassed = !isReadBy(other, reader, guards) && !isKept && (isOwn || guards.forkPassesTheDeleted);
      if (isBefore && other.stored && !other.erased && !isPassed) history.push(index);
    });
    const { forkedFrom: origin, forkedAfter: deletesBefore } = at(state.conversations, conversation);
    forkedAfter = deletesBefore;
    if (origin === null || at(state.turns, origin).erased) return history.sort();
    const { position } = at(state.turns, origin);
    conversation = at(state.turns, origin).conversation;
    before = position + 1;
    isOwn = false;
    if (guards.forkReadsAsItsOrigin) reader = position;
  }
}

/** Returns whether a later turn reads the turn. It skips a turn that no turn depended on at its deletion (R21). */
function isReadBy({ until }: ThreadTurn, position: number, guards: ThreadGuards): boolean {
  return until === null || until >= position || !guards.deletedTurnIsPassed;
}

/** Returns whether a fork keeps the turn. Forks made before its removal have it in their history (R31). */
function isKeptBy({ deletion }: ThreadTurn, forkedAfter: number, guards: ThreadGuards): boolean {
  return deletion !== null && (forkedAfter < deletion || !guards.laterForkPassesTheRemoved);
}

/** Returns the promise that a visible or active turn breaks. */
export function brokenThread(state: ThreadState, guards: ThreadGuards): string | null {
  if (state.runs > 1) return 'an at_most_once call was made in two conversations';
  const isAtWork = ({ forkedFrom, isErased }: Conversation) =>
    forkedFrom !== null && !isErased && at(state.turns, forkedFrom).status !== 'ended';
  if (state.conversations.some(isAtWork)) return 'a fork is based on an active turn';
  for (const turn of state.turns) {
    if (turn.erased || (turn.status === 'ended' && !isFound(turn))) continue;
    const history = historyOf(state, turn, guards);
    if (history.some((index) => at(state.conversations, turn.conversation).lost.includes(index)))
      return 'the history of a fork has a turn that was removed before the fork was made';
    if (history.join() !== turn.basedOn.join()) return 'the history of a turn changed';
    const answers = [...history.map((index) => at(state.turns, index)), turn].filter((other) => other.answers);
    if (answers.length > 1) return 'a call was answered twice in one conversation';
  }
  return state.turns.some((_, index) => isKeptForNothing(state, index))
    ? 'a removed turn was kept without a fork'
    : null;
}

/** Returns whether a removed turn outlives the last fork that depends on it (R31). */
function isKeptForNothing({ turns, conversations }: ThreadState, index: number): boolean {
  const turn = turns[index];
  if (!turn || turn.deletion === null || turn.erased) return false;
  return !turns.some((other) => {
    const isThere = !other.erased && conversations[other.conversation]?.isErased === false;
    return isThere && other.conversation !== turn.conversation && other.basedOn.includes(index);
  });
}

/** Returns whether all turns have ended, and every hidden turn is needed by another turn. */
export function isThreadDone({ turns, looked, found, removing }: ThreadState): boolean {
  if (looked || removing || found.length > 0 || turns.some(({ status }) => status !== 'ended')) return false;
  const kept = new Set(turns.filter(isFound).flatMap(({ basedOn }) => basedOn));
  return turns.every((turn, index) => isFound(turn) || turn.erased || kept.has(index));
}
