import { CHECKPOINT, type Table, TURNS, type Up } from '../guards/guard.ts';

const changed = 'the history of a turn changed';
const chain = 'services/api/openai/responses/predecessor.ts';
const history = `${TURNS}/reading/history.ts`;
const adopt = `${TURNS}/adopt-calls.ts`;
const erase = `${CHECKPOINT}/deletion/erase-hidden.ts`;
const lines = `${CHECKPOINT}/deletion/erase-lines.ts`;
const removal = `${CHECKPOINT}/deletion/delete-turn.ts`;

/** The guards of conversations, their forks and their deletions: R20, R21, R22, R31. */
export const lineGuards = {
  createLocksLine: {
    ...{ rule: 'R20', file: chain, code: 'await lockLine(trx, project, conversationId)' },
    without: 'what a turn stands on is looked up before its conversation is locked',
    ...{ asks: 'output', faults: { create: 2 }, caught: 'a call was answered twice in one line' },
  },
  forkKnowsItsOrigin: {
    ...{ rule: 'R20', file: chain, code: 'if (predecessor.isFork && atWork) throw' },
    without: 'a fork is made of a turn that is still at work',
    ...{ asks: 'approval', faults: { create: 2 }, caught: 'a fork stands on a turn that is still at work' },
  },
  forkedTurnIsNotRetried: {
    ...{ rule: 'R20', file: `${TURNS}/retry.ts`, code: 'origin.position >= stood.position' },
    without: 'a failed turn is retried although a fork stands on it',
    ...{ asks: 'output', faults: { create: 2, fail: 1, retry: 1 } },
    caught: 'a fork stands on a turn that is still at work',
  },
  unstoredIsFork: {
    ...{ rule: 'R20', file: chain, code: 'line.last !== undefined && (line.isFork || !store)' },
    without: 'a turn that is not stored goes behind another in its conversation',
    ...{ asks: 'output', faults: { create: 1, unstored: 1 } },
    caught: 'a turn that is not stored made the next one a fork',
  },
  eraseLocksLine: {
    ...{ rule: 'R21', file: erase, code: 'for update skip locked' },
    without: 'a conversation counts as looked at although a turn of it was deleted meanwhile',
    ...{ asks: 'approval', faults: { create: 1, hide: 2 }, caught: 'stuck' },
  },
  forkKeepsItsOrigin: {
    ...{ rule: 'R21', file: lines, code: 'join conversations as fork on fork.forked_from = origin.id' },
    without: 'a turn is erased although a fork stands on it',
    ...{ asks: 'approval', faults: { unstored: 1, hide: 1 }, caught: changed },
  },
  erasedForkFreesItsOrigin: {
    ...{ rule: 'R31', file: lines, code: 'lines = [...new Set(emptied.flatMap(({ origin }) => origin ?? []))]' },
    without: 'what a fork stood on is not erased in the commit that erases the fork',
    ...{ asks: 'approval', faults: { unstored: 1, hide: 1 }, caught: 'stuck' },
  },
  activeUnstoredIsLookedAtAgain: {
    ...{ rule: 'R21', file: erase, code: 'and not stored and (history_until is not null or not stored)' },
    without: 'a turn that is not stored is looked at once, while it is at work',
    ...{ asks: 'approval', faults: { unstored: 1 }, caught: 'stuck' },
  },
  deletedTurnIsPassed: {
    ...{ rule: 'R21', file: history, code: 'history_until is null or history_until >=' },
    without: 'a turn that was deleted is history of one that comes later, until it is erased',
    ...{ asks: 'approval', faults: { create: 2, hide: 1 }, caught: changed },
  },
  forkReadsAsItsOrigin: {
    ...{ rule: 'R21', file: history, code: 'then "endsBefore" else "endsBefore" - 1 end' },
    without: 'a fork does not read a turn that was deleted after the fork was made',
    ...{ asks: 'approval', faults: { unstored: 1, hide: 1 }, caught: changed },
  },
  forkPassesTheDeleted: {
    ...{ rule: 'R21', file: history, code: 'then "endsBefore" else "endsBefore" - 1 end' },
    without: 'a fork reads a turn that was deleted before the one that it was forked from was started',
    ...{ asks: 'approval', faults: { create: 2, unstored: 1, hide: 1 }, caught: changed },
  },
  laterForkPassesTheRemoved: {
    ...{ rule: 'R31', file: history, code: '"forkedAfter" < deletion' },
    without: 'a fork is told of a turn that was removed before the fork was made',
    ...{ asks: 'approval', faults: { create: 2, unstored: 2, remove: 1 } },
    caught: 'a turn is told of one that was removed before its line was forked',
  },
  removalLocksLine: {
    ...{ rule: 'R31', file: removal, code: 'await lockLines(trx, [conversationId], { waits: true })' },
    without: 'a turn is looked at for its removal before its conversation is locked',
    ...{ asks: 'approval', faults: { unstored: 1, remove: 1 }, caught: changed },
  },
  activeTurnIsNotRemoved: {
    ...{ rule: 'R31', file: removal, code: "if (turn.isActive) return 'active'" },
    without: 'a turn is removed while it is at work',
    ...{ asks: 'approval', faults: { remove: 1 }, caught: 'a turn at work was removed' },
  },
  approvalIsUsedOnce: {
    ...{ rule: 'R22', file: adopt, code: 'where adopted_by is null' },
    without: 'two forks allow the same call',
    ...{ asks: 'approval', faults: { create: 2 }, caught: 'a call that may be made once was made in two lines' },
  },
  usedApprovalOutlivesItsTurn: {
    ...{ rule: 'R22', file: adopt, code: 'update tool_calls as call set adopted_by = turnId' },
    without: 'a call may be allowed again once the turn that it was allowed to is erased',
    ...{ asks: 'approval', faults: { create: 2, hide: 1 } },
    caught: 'a call that may be made once was made in two lines',
  },
} satisfies Table<{ asks: 'output' | 'approval' }>;

export type LineGuards = Up<typeof lineGuards>;
