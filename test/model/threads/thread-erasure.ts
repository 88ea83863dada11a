import { at } from '../explore/plain-model.ts';
import type { ThreadGuards } from './thread-guards.ts';
import { isFound, type ThreadState, type ThreadTurn } from './thread-state.ts';

/** Models `erase-threads.ts`: finds the turns of a conversation that no other turn depends on. */
export function findErasable(state: ThreadState, conversation: number, guards: ThreadGuards): number[] {
  return [...state.turns.keys()].filter((index) => {
    const turn = at(state.turns, index);
    if (turn.conversation !== conversation || turn.erased || turn.status !== 'ended') return false;
    if (!turn.stored) return true;
    return turn.until !== null && !(guards.forkKeepsItsOrigin && isForkedBehind(state, turn));
  });
}

/** Returns whether a conversation was forked at or after a turn, and has that turn in its history. */
function isForkedBehind(state: ThreadState, { conversation, position, until, deletion }: ThreadTurn): boolean {
  return state.conversations.some(({ forkedFrom, forkedAfter, isErased }) => {
    if (forkedFrom === null || isErased) return false;
    const origin = at(state.turns, forkedFrom);
    const isBehind = origin.conversation === conversation && origin.position >= position;
    const isBefore = deletion !== null && forkedAfter < deletion;
    return isBehind && (origin.position <= (until ?? Number.POSITIVE_INFINITY) || isBefore);
  });
}

type By = { found: number[]; guards: ThreadGuards };

/**
 * Deletes the found turns, then their conversation if it is empty. The same commit deletes the turns of the origin
 * that only this conversation kept.
 */
export function eraseFound(state: ThreadState, conversation: number, { found, guards }: By): void {
  for (const index of found) at(state.turns, index).erased = true;
  const hadUsed = found.some((index) => at(state.turns, index).answers);
  if (hadUsed && !guards.usedApprovalOutlivesItsTurn) state.isApprovalUsed = false;
  const row = at(state.conversations, conversation);
  const ofConversation = state.turns.filter((turn) => turn.conversation === conversation && !turn.erased);
  row.isEraseDue = ofConversation.some(({ stored }) => !stored) && guards.activeUnstoredIsLookedAtAgain;
  if (ofConversation.length > 0) return;
  row.isErased = true;
  if (row.forkedFrom === null || !guards.erasedForkFreesItsOrigin) return;
  const origin = at(state.turns, row.forkedFrom).conversation;
  eraseFound(state, origin, { found: findErasable(state, origin, guards), guards });
}

/**
 * Models `delete-turn.ts` and erasure by age: decides whether a turn may be removed, and whether forks depend on it.
 */
export function lookAtRemoval(state: ThreadState, index: number, guards: ThreadGuards): ThreadState['removing'] {
  const turn = at(state.turns, index);
  if (!isFound(turn) || (turn.status !== 'ended' && guards.activeTurnIsNotRemoved)) return null;
  return { index, isForked: isForkedBehind(state, turn) };
}

/**
 * Models `remove-turns.ts`: later turns are sent without the turn. It is erased at once, or hidden while forks keep
 * it.
 */
export function removeThreadTurn(
  state: ThreadState,
  { index, isForked }: NonNullable<ThreadState['removing']>,
  guards: ThreadGuards,
): void {
  const turn = at(state.turns, index);
  if (turn.status !== 'ended') state.broken ??= 'an active turn was removed';
  const row = at(state.conversations, turn.conversation);
  Object.assign(turn, { hidden: true });
  const ofConversation = state.turns.filter((other) => other.conversation === turn.conversation);
  for (const other of ofConversation) other.basedOn = other.basedOn.filter((one) => one !== index);
  endHistory(state, turn.conversation, index);
  const isKept = isForked && guards.forkKeepsItsOrigin;
  if (isKept) row.deletions += 1;
  Object.assign(turn, { until: 0, ...(isKept ? { deletion: row.deletions } : { erased: true }) });
  eraseFound(state, turn.conversation, { found: findErasable(state, turn.conversation, guards), guards });
}

/** Models `hide.ts`: hidden turns after the last visible turn are left out of the history of every later turn. */
export function endHistory(state: ThreadState, conversation: number, except?: number): void {
  const ofConversation = [...state.turns.entries()].filter(([, turn]) => turn.conversation === conversation);
  const lastFound = Math.max(
    0,
    ...ofConversation.filter(([, turn]) => isFound(turn)).map(([, { position }]) => position),
  );
  for (const [index, turn] of ofConversation)
    if (turn.hidden && index !== except && turn.position > lastFound)
      turn.until ??= at(state.conversations, conversation).last;
}
