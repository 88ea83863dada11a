import { CHECKPOINT, MAY_GIVE_UP, type Table, type Up } from '../guards/guard.ts';
import type { BatchSetting } from './batch-state.ts';

const BATCHES = `${CHECKPOINT}/batches`;
const SAVE = `${BATCHES}/save-answers.ts`;
const ASK = `${BATCHES}/ask-batch.ts`;
const CONFIRM = `${BATCHES}/confirm-batch.ts`;
const REFUSE = `${BATCHES}/refuse-batch.ts`;
const ROUTINE = 'services/worker/batches';
const FIND = `${ROUTINE}/find-batch.ts`;
const twice = 'a request was sent twice';
const countedTwice = 'the usage of an answer was counted twice';
const lost = 'an answer was neither used nor counted';
const deleted = 'a batch was deleted before its answers were stored';

/**
 * The guards that send each batch once: R42. The guards that give each request a batch and wake its turn: R43. The
 * guards that delete each batch at its provider: R44. Rounds use requests as responses: R41.
 */
export const batchGuards = {
  sendFollowsCommit: {
    ...{ rule: 'R42', file: `${ROUTINE}/send-batch.ts`, code: 'await commitLines(work, lines, context);' },
    without: 'a worker sends a batch before it commits the requests',
    ...{ faults: { crash: 1 }, caught: twice },
  },
  senderChecksClock: {
    ...{ rule: 'R42', file: `${ROUTINE}/send-batch.ts`, code: 'patience.renew(elapsedMs(asked));' },
    without: 'a worker that slept after the commit still sends the batch',
    ...{ faults: { stall: 1 }, caught: twice },
  },
  askNeedsOwner: {
    ...{ rule: 'R42', file: ASK, code: `where id = id and owner = owner and state = 'open'` },
    without: 'a slow worker commits requests of a batch that another worker has split',
    ...{ turns: 2, isClaimed: true, faults: { stall: 1, refusal: 1 }, caught: twice },
  },
  askNeedsAccount: {
    ...{ rule: 'R42', file: ASK, code: 'and (keeps_key or not exists (' },
    without: 'a batch is sent while another batch of an account without keys is unconfirmed',
    ...{ turns: 2, size: 1, keyless: true, faults: {}, caught: 'two batches of one account were unconfirmed' },
  },
  confirmNeedsOwner: {
    ...{
      rule: 'R42',
      file: CONFIRM,
      code: `owner = null, due_at = inMs(delayMs) where id = id and owner = owner and state = 'asked'`,
    },
    without: 'a slow worker confirms an earlier batch of the same requests',
    ...{ faults: { stall: 1, fail: 1 }, caught: twice },
  },
  refuseNeedsOwner: {
    ...{ rule: 'R42', file: REFUSE, code: `where id = id and owner = owner and state <> 'collected'` },
    without: 'a slow worker commits a refusal after another worker has sent the batch again',
    ...{ faults: { stall: 1, refused: 1 }, caught: twice },
  },
  missNeedsOwner: {
    ...{
      rule: 'R42',
      file: CONFIRM,
      code: `owner = null, due_at = now() where id = id and owner = owner and state = 'asked'`,
    },
    without: 'a slow worker reopens a batch that another worker has sent again',
    ...{ faults: { crash: 1, stall: 1 }, caught: twice },
  },
  resendNeedsListing: {
    ...{ rule: 'R42', file: FIND, code: `const isMissing = found.kind === 'missing' &&` },
    without: 'a worker sends a batch again without a look at the list',
    ...{ faults: { lostAck: 1 }, caught: twice },
  },
  resendNeedsTime: {
    ...{ rule: 'R42', file: FIND, code: '(askedMs ?? 0) > REQUEST_MS + LISTED_WITHIN_MS' },
    without: 'a worker sends a batch again while the first may still appear in the list',
    ...{ faults: { lostAck: 1 }, caught: twice },
  },
  adoptNeedsIds: {
    ...{
      rule: 'R42',
      file: 'packages/core/llm/batches/anthropic/find-batch.ts',
      code: `if (isOwn) return kind: 'found', id ;`,
    },
    without: 'a worker adopts a batch of the same size without a look at its results',
    ...{ keyless: true, faults: { start: 1, lostAck: 1 }, caught: 'a batch of another program was adopted' },
  },
  keyHasRefusals: {
    ...{ rule: 'R42', file: `${ROUTINE}/batch-work.ts`, code: 'return id-refusals;' },
    without: 'a batch keeps its key after a refusal, and a worker adopts the refused batch',
    ...{ faults: { fail: 1, lostAck: 1 }, caught: twice },
  },
  splitRaisesRefusals: {
    ...{ rule: 'R42', file: `${BATCHES}/split-batch.ts`, code: 'due_at = now(), refusals = refusals + 1' },
    without: 'the first half of a batch that is too large keeps the key of the whole batch',
    ...{ turns: 2, isClaimed: true, faults: { fail: 1, lostAck: 1 }, caught: twice },
  },
  claimNeedsFree: {
    ...{
      rule: 'R43',
      file: `${BATCHES}/claim-batches.ts`,
      code: 'where batch_id is null and provider = provider and model = model',
    },
    without: 'a worker claims requests that are in another batch',
    ...{ faults: {}, caught: twice },
  },
  readLeavesOut: {
    ...{ rule: 'R43', file: `${ROUTINE}/render-line.ts`, code: `if (!request.isAwaited) return kind: 'gone' ;` },
    without: 'a worker sends requests that no round awaits',
    ...{ faults: { cancel: 1 }, caught: 'a request was sent although no round awaited it when its line was read' },
  },
  lineKeepsInputs: {
    ...{
      rule: 'R29',
      file: `${ROUTINE}/render-line.ts`,
      code: 'const run = withResponses(startRun(lease, opened), context);',
    },
    without: 'a line contains inputs that joined after its round had entered',
    ...{ faults: { join: 1 }, caught: 'a round recorded other inputs than its line had' },
  },
  refuseKeepsRequests: {
    ...{ rule: 'R43', file: REFUSE, code: `update batch_requests set state = 'waiting' from batch` },
    without: 'the requests of a refused batch are not sent again',
    ...{ faults: { refused: 1 }, caught: 'stuck' },
  },
  storeWakes: {
    ...{ rule: 'R43', file: `${ROUTINE}/store-answers.ts`, code: '() => saveAnswers(context.db, answers, by)' },
    without: 'a worker wakes the turn in another commit than it stores the answer',
    ...{ faults: { crash: 1 }, caught: 'stuck' },
  },
  storeLocksTurn: {
    ...{ rule: 'R43', file: SAVE, code: 'isFree as is_free from target' },
    without: 'a worker stores an answer by a lease that it has read before its lock',
    ...{ faults: { duplicate: 1 }, caught: 'stuck' },
  },
  waitChecksAnswers: {
    ...{
      rule: 'R43',
      file: `${BATCHES}/enter-batch.ts`,
      code: `exists (select from known where known.id = "requestId" and state <> 'answered')`,
    },
    without: 'a run waits although the answer was stored after its look',
    ...{ faults: { duplicate: 1 }, caught: 'stuck' },
  },
  enterNeedsGeneration: {
    ...{ rule: 'R5', file: `${BATCHES}/enter-batch.ts`, shared: MAY_GIVE_UP },
    code: 'and work.model = input.model and mayGiveUp(sql"ownGeneration")',
    without: 'a round enters a batch again after the answer to its commit was lost',
    ...{ faults: { lostAck: 1 }, caught: 'a round entered a batch although it awaited a request' },
  },
  storeNeedsSent: {
    ...{ rule: 'R41', file: SAVE, code: `where state <> 'answered' and (` },
    without: 'an answer is stored again after its round has used it',
    ...{ faults: { duplicate: 1 }, caught: countedTwice },
  },
  lateIsCounted: {
    ...{ rule: 'R41', file: SAVE, code: 'as agent, used from gone where used is not null' },
    without: 'an answer that no round awaits is dropped without its usage',
    ...{ faults: { cancel: 1 }, caught: lost },
  },
  askKeepsLines: {
    ...{ rule: 'R41', file: ASK, code: 'where batch_requests.id not in (listed(sent))' },
    without: 'the commit removes a request although its line is already in the upload',
    ...{ faults: { cancel: 1 }, caught: lost },
  },
  badLineNeedsOwner: {
    ...{ rule: 'R41', file: SAVE, code: 'or batch_id in (select id from own)' },
    without: 'a slow worker answers a bad line that another worker has sent again',
    ...{ faults: { stall: 1, definite: 1 }, caught: 'a request was answered without its result' },
  },
  roundRemovesRequests: {
    ...{ rule: 'R41', file: `${BATCHES}/save-with-answers.ts`, code: 'await db.transaction().execute' },
    without: 'a round is saved in another commit than the deletion of its requests',
    ...{ faults: {}, caught: countedTwice },
  },
  settleNeedsEndOfWait: {
    ...{ rule: 'R41', file: `${BATCHES}/settle-answers.ts`, code: `where state = 'answered' and not isAwaited` },
    without: 'a sweep counts an answer that a round is about to use',
    ...{ faults: {}, caught: 'a request was removed although its round awaits it' },
  },
  collectNeedsAnswers: {
    ...{
      rule: 'R44',
      file: `${BATCHES}/collect-batch.ts`,
      code: `select from batch_requests where batch_id = batches.id and state <> 'answered'`,
    },
    without: 'a batch counts as collected after cut results',
    ...{ faults: { lose: 1 }, caught: deleted },
  },
  eraseNeedsAnswers: {
    ...{
      rule: 'R44',
      file: `${ROUTINE}/work-batch.ts`,
      code: `case 'collected': return await deleteBatch(work, context);`,
    },
    without: 'a worker deletes a batch at its provider before it reads the results',
    ...{ faults: {}, caught: deleted },
  },
  rowOutlivesBatch: {
    ...{ rule: 'R44', file: `${ROUTINE}/work-batch.ts`, code: 'if (!isGone && (endedMs ?? 0) < GIVE_UP_MS)' },
    without: 'a worker removes the row before it deletes the batch at its provider',
    ...{ faults: {}, caught: 'a batch was left at its provider' },
  },
  cancelNeedsAll: {
    ...{
      rule: 'R44',
      file: `${BATCHES}/take-batches.ts`,
      code: `(state = 'sent' and cancelled_at is null and owner is null and not isBatchAwaited)`,
    },
    without: 'a worker cancels a batch as soon as one of its turns is cancelled',
    ...{ turns: 2, faults: { cancel: 1 }, caught: 'a batch was cancelled although a round awaits it' },
  },
} satisfies Table<BatchSetting>;

export type BatchGuards = Up<typeof batchGuards>;
