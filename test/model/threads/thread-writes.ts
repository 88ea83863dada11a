import { at } from '../explore/plain-model.ts';
import { endHistory } from './thread-erasure.ts';
import type { ThreadGuards } from './thread-guards.ts';
import { historyOf } from './thread-history.ts';
import {
  type Create,
  isFound,
  newConversation,
  newThreadTurn,
  type ThreadState,
  type ThreadTurn,
} from './thread-state.ts';

/** The answer that a call of the first turn waits for. */
export type Asks = 'output' | 'approval';
export type ThreadScene = { asks: Asks; guards: ThreadGuards };

/** Decides whether a create is refused, is the next turn, or is a fork (R20, R22). */
export function decideCreate(
  state: ThreadState,
  create: Create,
  { asks, guards }: ThreadScene,
): 'refused' | 'fork' | 'next' {
  const { on, by, stored, answers } = create;
  const last = at(state.turns, on);
  const row = at(state.conversations, last.conversation);
  if (!isFound(last)) return 'refused';
  const isFork = (by === 'turn' && row.last > last.position) || (!stored && guards.unstoredIsFork);
  const isEnded = last.status === 'ended';
  if (!isEnded && ((isFork && guards.forkKnowsItsOrigin) || answers)) return 'refused';
  if (!mayAnswer(state, create, { asks, guards })) return 'refused';
  return isFork ? 'fork' : 'next';
}

/** Returns whether the create may answer. An open call requires a result. An approval is optional and used once. */
function mayAnswer(state: ThreadState, { on, answers }: Create, { asks, guards }: ThreadScene): boolean {
  const { status, failed } = at(state.turns, on);
  const isOpen = on === 0 && status === 'ended' && !failed;
  if (asks === 'output') return isOpen === answers;
  return !answers || (isOpen && !(state.isApprovalUsed && guards.approvalIsUsedOnce));
}

/** Models the write of `create.ts`, as it was decided. */
export function writeCreate(
  state: ThreadState,
  { on, stored, answers }: Create,
  by: { isFork: boolean } & ThreadScene,
): void {
  const origin = at(state.turns, on);
  if (!isFound(origin)) state.broken ??= 'a turn was started after a deleted turn';
  if (by.isFork && stored && !hasNext(state, origin)) {
    state.broken ??= 'an unstored turn made the next turn a fork';
  }
  if (by.isFork) {
    const { deletions } = at(state.conversations, origin.conversation);
    const lost = [...state.turns.keys()].filter((index) => {
      const { conversation, deletion } = at(state.turns, index);
      return conversation === origin.conversation && deletion !== null;
    });
    const fork = newConversation({ forkedFrom: on, last: origin.position });
    state.conversations.push({ ...fork, forkedAfter: deletions, lost });
  }
  const conversation = by.isFork ? state.conversations.length - 1 : origin.conversation;
  const row = at(state.conversations, conversation);
  row.last += 1;
  if (!stored) row.isEraseDue = true;
  const turn: ThreadTurn = { ...newThreadTurn({ conversation, position: row.last }), stored, answers };
  turn.basedOn = historyOf(state, turn, by.guards);
  state.turns.push(turn);
  if (by.asks === 'approval' && answers) state.isApprovalUsed = true;
}

/** Returns whether the conversation has a stored turn after this turn. */
function hasNext({ turns }: ThreadState, { conversation, position }: ThreadTurn): boolean {
  return turns.some((turn) => turn.conversation === conversation && turn.stored && turn.position > position);
}

/** Ends the turn at the head of its conversation. A turn that allows a call runs the call first. */
export function endThreadTurn(state: ThreadState, turn: ThreadTurn, { asks }: ThreadScene): void {
  turn.status = 'ended';
  if (asks === 'approval' && turn.answers) state.runs += 1;
}

/** Models `retry.ts` (R14): returns whether a failed turn may run again. It may not if a fork depends on it. */
export function mayRetryThread(state: ThreadState, index: number, guards: ThreadGuards): boolean {
  const turn = at(state.turns, index);
  const isForked = state.conversations.some(({ forkedFrom, isErased }) => forkedFrom === index && !isErased);
  return turn.failed && isFound(turn) && !(isForked && guards.forkedTurnIsNotRetried);
}

/** Models `hide.ts`: cancels an active turn first. */
export function hideThreadTurn(state: ThreadState, index: number): void {
  const { conversation } = at(state.turns, index);
  Object.assign(at(state.turns, index), { hidden: true, status: 'ended' });
  endHistory(state, conversation);
  at(state.conversations, conversation).isEraseDue = true;
}
