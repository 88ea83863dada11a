import { CHECKPOINT, type Table, TURNS, type Up } from '../guards/guard.ts';

const changed = 'the history of a turn changed';
const chain = 'services/api/openai/responses/predecessor.ts';
const history = `${TURNS}/reading/history.ts`;
const adopt = `${TURNS}/adopt-calls.ts`;
const erase = `${CHECKPOINT}/deletion/erase-hidden.ts`;
const threads = `${CHECKPOINT}/deletion/erase-threads.ts`;
const removal = `${CHECKPOINT}/deletion/delete-turn.ts`;

/** The guards of conversations, their forks and their deletions: R20, R21, R22, R31. */
export const threadGuards = {
  createLocksThread: {
    ...{ rule: 'R20', file: chain, code: 'await lockConversation(trx, project, conversationId)' },
    without: 'the basis of a turn is read before its conversation is locked',
    ...{ asks: 'output', faults: { create: 2 }, caught: 'a call was answered twice in one conversation' },
  },
  forkKnowsItsOrigin: {
    ...{ rule: 'R20', file: chain, code: 'if (predecessor.isFork && atWork) throw' },
    without: 'a caller forks from an active turn',
    ...{ asks: 'approval', faults: { create: 2 }, caught: 'a fork is based on an active turn' },
  },
  forkedTurnIsNotRetried: {
    ...{ rule: 'R20', file: `${TURNS}/retry.ts`, code: 'origin.position >= basis.position' },
    without: 'a failed turn is retried although a fork is based on it',
    ...{ asks: 'output', faults: { create: 2, fail: 1, retry: 1 } },
    caught: 'a fork is based on an active turn',
  },
  unstoredIsFork: {
    ...{ rule: 'R20', file: chain, code: 'followed.last !== undefined && (followed.isFork || !store)' },
    without: 'a turn that is not stored goes behind another in its conversation',
    ...{ asks: 'output', faults: { create: 1, unstored: 1 } },
    caught: 'an unstored turn made the next turn a fork',
  },
  eraseLocksThread: {
    ...{ rule: 'R21', file: erase, code: 'for update skip locked' },
    without: 'a conversation counts as checked although one of its turns has just been deleted',
    ...{ asks: 'approval', faults: { create: 1, hide: 2 }, caught: 'stuck' },
  },
  forkKeepsItsOrigin: {
    ...{ rule: 'R21', file: threads, code: 'join conversations as fork on fork.forked_from = origin.id' },
    without: 'a turn is erased although a fork is based on it',
    ...{ asks: 'approval', faults: { unstored: 1, hide: 1 }, caught: changed },
  },
  erasedForkFreesItsOrigin: {
    ...{
      rule: 'R31',
      file: threads,
      code: 'conversationIds = [...new Set(emptied.flatMap(({ origin }) => origin ?? []))]',
    },
    without: 'the commit that erases a fork leaves its emptied origins',
    ...{ asks: 'approval', faults: { unstored: 1, hide: 1 }, caught: 'stuck' },
  },
  activeUnstoredIsLookedAtAgain: {
    ...{ rule: 'R21', file: erase, code: 'and not stored and (history_until is not null or not stored)' },
    without: 'an unstored turn is checked only once, while it is active',
    ...{ asks: 'approval', faults: { unstored: 1 }, caught: 'stuck' },
  },
  deletedTurnIsPassed: {
    ...{ rule: 'R21', file: history, code: 'history_until is null or history_until >=' },
    without: 'a later turn reads a deleted turn as history until the turn is erased',
    ...{ asks: 'approval', faults: { create: 2, hide: 1 }, caught: changed },
  },
  forkReadsAsItsOrigin: {
    ...{ rule: 'R21', file: history, code: 'then "endsBefore" else "endsBefore" - 1 end' },
    without: 'a fork does not read a turn that was deleted after the fork',
    ...{ asks: 'approval', faults: { unstored: 1, hide: 1 }, caught: changed },
  },
  forkPassesTheDeleted: {
    ...{ rule: 'R21', file: history, code: 'then "endsBefore" else "endsBefore" - 1 end' },
    without: 'a fork reads a turn that was deleted before the start of its origin',
    ...{ asks: 'approval', faults: { create: 2, unstored: 1, hide: 1 }, caught: changed },
  },
  laterForkPassesTheRemoved: {
    ...{ rule: 'R31', file: history, code: '"forkedAfter" < deletion' },
    without: 'a fork also reads a turn that was removed before the fork was made',
    ...{ asks: 'approval', faults: { create: 2, unstored: 2, remove: 1 } },
    caught: 'the history of a fork has a turn that was removed before the fork was made',
  },
  removalLocksThread: {
    ...{ rule: 'R31', file: removal, code: 'await lockThreads(trx, [conversationId], { waits: true })' },
    without: 'a removal reads its turn before it locks the conversation',
    ...{ asks: 'approval', faults: { unstored: 1, remove: 1 }, caught: changed },
  },
  activeTurnIsNotRemoved: {
    ...{ rule: 'R31', file: removal, code: "if (turn.isActive) return 'active'" },
    without: 'a turn is removed while it is active',
    ...{ asks: 'approval', faults: { remove: 1 }, caught: 'an active turn was removed' },
  },
  approvalIsUsedOnce: {
    ...{ rule: 'R22', file: adopt, code: 'where adopted_by is null' },
    without: 'two forks allow the same call',
    ...{ asks: 'approval', faults: { create: 2 }, caught: 'an at_most_once call was made in two conversations' },
  },
  usedApprovalOutlivesItsTurn: {
    ...{ rule: 'R22', file: adopt, code: 'update tool_calls as call set adopted_by = turnId' },
    without: 'a call can be allowed again after the turn that adopted it is erased',
    ...{ asks: 'approval', faults: { create: 2, hide: 1 } },
    caught: 'an at_most_once call was made in two conversations',
  },
} satisfies Table<{ asks: 'output' | 'approval' }>;

export type ThreadGuards = Up<typeof threadGuards>;
