import { CHECKPOINT, type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';

const SAVE = `${CHECKPOINT}/background/save-response.ts`;
const TAKE = `${CHECKPOINT}/background/take-responses.ts`;
const USE = `${CHECKPOINT}/background/save-with-responses.ts`;
const SETTLE = `${CHECKPOINT}/background/settle-response.ts`;
const POSTPONE = `${TURNS}/postpone.ts`;
const OPEN = `${WORKER}/round/background/with-responses.ts`;
const WAIT = `${WORKER}/round/background/wait-for-response.ts`;
const SELECT = `${TURNS}/reading/select.ts`;
const SEND = 'packages/core/llm/openai-responses/background/send-in-background.ts';
const SWEEP = `${WORKER}/routines/close-responses.ts`;
const askedAgain = 'a round was asked again while it had a response';
const dropped = 'a round dropped a response that may still answer';
const countedTwice = 'the usage of a response was counted twice';

/** The guards that give a round one response: R40. The guards that close each response: R41. */
export const backgroundGuards = {
  textNeedsId: {
    ...{ rule: 'R40', file: SEND, code: 'held ? held.push(delta) : call.onDelta(delta)' },
    without: 'a run publishes text before the commit of the id',
    ...{ faults: {}, caught: 'text was published before the id of its response was committed' },
  },
  saveNeedsLease: {
    ...{ rule: 'R40', file: SAVE, code: 'and lease_owner = "runId"' },
    without: 'a run without the lease commits the id of its response',
    ...{ faults: { stall: 1, duplicate: 1 }, caught: askedAgain },
  },
  saveIgnoresExpiry: {
    ...{ rule: 'R40', file: SAVE, code: 'work.model = input.model and lease_owner = "runId" returning' },
    without: 'a run commits its id only with a lease that has not expired, and after a renewal commits it again',
    ...{ faults: { stall: 1, lostAck: 1 }, caught: 'a round waits for a response that was closed' },
  },
  rowIsAlwaysWritten: {
    ...{ rule: 'R41', file: SAVE, code: 'from input on conflict do nothing' },
    without: 'a run that has lost its step writes no row for its response',
    ...{ faults: { stall: 1, duplicate: 1 }, caught: 'a response with a known id has no row' },
  },
  leaseReturnsBackground: {
    ...{ rule: 'R40', file: `${TURNS}/lease.ts`, code: 'awaitedResponses as background from leased' },
    without: 'a run decides by the response that it loaded before its lease',
    ...{ faults: { crash: 1, duplicate: 1 }, caught: askedAgain },
  },
  askNeedsLiveLease: {
    ...{ rule: 'R40', file: OPEN, code: 'await confirmLease(run, context);' },
    without: 'a run that slept after its lease asks the round without a renewal',
    ...{ faults: { stall: 1 }, caught: askedAgain },
  },
  resumedRunFollows: {
    ...{ rule: 'R40', file: OPEN, code: 'ids[requests++] ?? null' },
    without: 'a later run asks the round although it has a response',
    ...{ faults: { crash: 1 }, caught: askedAgain },
  },
  currentNeedsStep: {
    ...{ rule: 'R40', file: SELECT, code: "background ->> 'step' = step" },
    without: 'a run follows the response of an earlier round',
    ...{ rounds: 2, faults: {}, caught: 'a round was saved from a response of another round or model' },
  },
  currentNeedsModel: {
    ...{ rule: 'R40', file: SELECT, code: "background ->> 'model' = model" },
    without: 'a run follows the response of the former model',
    ...{ faults: { fail: 1 }, caught: 'a model was given up because of a response of another model' },
  },
  pollKeepsResponse: {
    ...{ rule: 'R40', file: POSTPONE, code: 'else work.background end' },
    without: 'a round that waits for its response drops it',
    ...{ faults: {}, caught: dropped },
  },
  askingAgainDrops: {
    ...{ rule: 'R40', file: POSTPONE, code: '= dropped::jsonb then null' },
    without: 'a round that is asked again keeps its failed response',
    ...{ faults: { later: 1 }, caught: 'one failure of a response was counted as two attempts' },
  },
  dropNamesResponse: {
    ...{ rule: 'R40', file: POSTPONE, code: "work.background -> 'responses' = dropped::jsonb" },
    without: 'a run drops a response that it has not followed',
    ...{ sweeps: 0, faults: { later: 1, stall: 1, duplicate: 1, crash: 1 }, caught: dropped },
  },
  backgroundKeepsInputs: {
    ...{ rule: 'R40', file: OPEN, code: 'withInputs(run.turn, background.inputs)' },
    without: 'a later run records the inputs that it has loaded as sent',
    ...{
      sweeps: 0,
      faults: { crash: 1, join: 1 },
      caught: 'an input was recorded as sent although no model received it',
    },
  },
  cancelledIsRead: {
    ...{ rule: 'R40', file: WAIT, code: "state?.kind === 'ended' && state.isReply" },
    without: 'a run asks again after it cancelled a response that had ended',
    ...{ faults: { late: 1 }, caught: dropped },
  },
  takeNeedsEndOfWait: {
    ...{ rule: 'R41', file: TAKE, code: 'due_at < now() and not isAwaited' },
    without: 'a sweep takes a response although a round waits for it',
    ...{ faults: {}, caught: 'a response was cancelled although a round waits for it' },
  },
  roundMarksResponse: {
    ...{ rule: 'R41', file: USE, code: 'await db.transaction().execute' },
    without: 'a round is saved in another commit than the mark of its response',
    ...{ faults: {}, caught: countedTwice },
  },
  roundNeedsUnsettled: {
    ...{ rule: 'R41', file: USE, code: "state in ('open', 'used')" },
    without: 'a round is saved from a response whose usage was counted as late',
    ...{ faults: { late: 1, stall: 1 }, caught: countedTwice },
  },
  settleNeedsOpen: {
    ...{ rule: 'R41', file: SETTLE, code: "and state = 'open'" },
    without: 'a sweep counts a response that was used or settled since its take',
    ...{ sweeps: 2, faults: { cancel: 1 }, caught: countedTwice },
  },
  usageIsSettledFirst: {
    ...{ rule: 'R41', file: SWEEP, code: '!response.isCounted && !(await countLate' },
    without: 'a sweep deletes a response before it counts the usage',
    ...{ faults: { cancel: 1, crash: 1 }, caught: 'the usage of a response was lost' },
  },
  rowOutlivesResponse: {
    ...{ rule: 'R41', file: SWEEP, code: 'if (!(await kept.remove(response.id, signal))) return;' },
    without: 'a sweep removes the row before it deletes the response',
    ...{ faults: {}, caught: 'a response was left at its provider' },
  },
} satisfies Table<{ rounds?: number; sweeps?: number }>;

export type BackgroundGuards = Up<typeof backgroundGuards>;
