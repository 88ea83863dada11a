import { at } from '../explore/plain-model.ts';
import { endHistory } from './line-erasure.ts';
import type { LineGuards } from './line-guards.ts';
import { historyOf } from './line-history.ts';
import { type Create, isFound, type LineState, type LineTurn, newLine, newLineTurn } from './line-state.ts';

/** What a call of the first turn waits for. */
export type Asks = 'output' | 'approval';
export type LineScene = { asks: Asks; guards: LineGuards };

/** Whether a create is refused, or where it goes (contract-responses R24–R26, R32, R35). */
export function decideCreate(
  state: LineState,
  create: Create,
  { asks, guards }: LineScene,
): 'refused' | 'fork' | 'next' {
  const { on, by, stored, answers } = create;
  const last = at(state.turns, on);
  const line = at(state.conversations, last.conversation);
  if (!isFound(last)) return 'refused';
  const isFork = (by === 'turn' && line.last > last.position) || (!stored && guards.unstoredIsFork);
  const isEnded = last.status === 'ended';
  if (!isEnded && ((isFork && guards.forkKnowsItsOrigin) || answers)) return 'refused';
  if (!mayAnswer(state, create, { asks, guards })) return 'refused';
  return isFork ? 'fork' : 'next';
}

/** A result is required for an open call; an approval is not, and is used once. */
function mayAnswer(state: LineState, { on, answers }: Create, { asks, guards }: LineScene): boolean {
  const { status, failed } = at(state.turns, on);
  const isOpen = on === 0 && status === 'ended' && !failed;
  if (asks === 'output') return isOpen === answers;
  return !answers || (isOpen && !(state.isApprovalUsed && guards.approvalIsUsedOnce));
}

/** `create.ts`, as it was decided. */
export function writeCreate(
  state: LineState,
  { on, stored, answers }: Create,
  by: { isFork: boolean } & LineScene,
): void {
  const origin = at(state.turns, on);
  if (!isFound(origin)) state.broken ??= 'a turn was started behind one that was deleted';
  if (by.isFork && stored && !hasNext(state, origin)) {
    state.broken ??= 'a turn that is not stored made the next one a fork';
  }
  if (by.isFork) {
    const { deletions } = at(state.conversations, origin.conversation);
    const lost = [...state.turns.keys()].filter((index) => {
      const { conversation, deletion } = at(state.turns, index);
      return conversation === origin.conversation && deletion !== null;
    });
    const line = newLine({ forkedFrom: on, last: origin.position });
    state.conversations.push({ ...line, forkedAfter: deletions, lost });
  }
  const conversation = by.isFork ? state.conversations.length - 1 : origin.conversation;
  const line = at(state.conversations, conversation);
  line.last += 1;
  if (!stored) line.isEraseDue = true;
  const turn: LineTurn = { ...newLineTurn({ conversation, position: line.last }), stored, answers };
  turn.standsOn = historyOf(state, turn, by.guards);
  state.turns.push(turn);
  if (by.asks === 'approval' && answers) state.isApprovalUsed = true;
}

/** Whether a stored turn of the conversation came behind another. */
function hasNext({ turns }: LineState, { conversation, position }: LineTurn): boolean {
  return turns.some((turn) => turn.conversation === conversation && turn.stored && turn.position > position);
}

/** The turn at the head of its conversation ends. One that allows a call runs it first. */
export function endLineTurn(state: LineState, turn: LineTurn, { asks }: LineScene): void {
  turn.status = 'ended';
  if (asks === 'approval' && turn.answers) state.runs += 1;
}

/** `retry.ts` (R14): a failed turn is at work again, unless a fork stands on it. */
export function mayRetryLine(state: LineState, index: number, guards: LineGuards): boolean {
  const turn = at(state.turns, index);
  const isForked = state.conversations.some(({ forkedFrom, isErased }) => forkedFrom === index && !isErased);
  return turn.failed && isFound(turn) && !(isForked && guards.forkedTurnIsNotRetried);
}

/** `hide.ts`: one that is active is cancelled first. */
export function hideLineTurn(state: LineState, index: number): void {
  const { conversation } = at(state.turns, index);
  Object.assign(at(state.turns, index), { hidden: true, status: 'ended' });
  endHistory(state, conversation);
  at(state.conversations, conversation).isEraseDue = true;
}
