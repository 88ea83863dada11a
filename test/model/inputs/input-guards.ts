import { type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';

const JOIN = `${TURNS}/inputs/join.ts`;
const ENDING = `${TURNS}/commits/write-ending.ts`;
const unheard = 'a turn was answered without a joined input';

/** The guards that send each input once, in order, and lose none: R26, R29, R30. */
export const inputGuards = {
  joinNeedsActiveTurn: {
    ...{ rule: 'R26', file: JOIN },
    code: 'update work set inputs = inputs + 1, last_event = last_event + 1 where id = turnId',
    without: 'an input joins a turn that ended after the caller read it',
    ...{ faults: { join: 1 }, caught: 'an input joined an ended turn' },
  },
  joinIsLocked: {
    ...{ rule: 'R26', file: 'services/start/start-turn.ts', code: 'lockVisibleConversation(trx, conversationId)' },
    without: 'two callers find the turn ended, and each creates a turn',
    ...{ faults: { join: 2 }, caught: 'two callers created two concurrent turns' },
  },
  joinKeepsGeneration: {
    ...{ rule: 'R26', file: JOIN, code: 'set inputs = inputs + 1, last_event = last_event + 1 where' },
    without: 'a join enqueues the step again, and the active run loses its step',
    ...{ faults: { join: 2 }, caught: 'a run lost its step because of a join' },
  },
  joinKeepsDue: {
    ...{ rule: 'R26', file: JOIN, code: 'set inputs = inputs + 1, last_event = last_event + 1 where' },
    without: 'a join marks a late turn as if a worker ran it',
    ...{ faults: { join: 1, late: 1, crash: 1 }, caught: 'a join hid that no worker runs the turn' },
  },
  sentIsWhatWasLoaded: {
    ...{ rule: 'R29', file: `${WORKER}/round/commit-round.ts`, code: 'inputsSent: turn.joined.length' },
    without: 'a commit records all inputs as sent that have joined before it',
    ...{ faults: { join: 1 }, caught: 'an input was recorded as sent although no model received it' },
  },
  beginTakesInputs: {
    ...{ rule: 'R29', file: `${TURNS}/begin.ts`, code: 'joinedCount === (row.joined?.length ?? 0)' },
    without: 'a turn begins with an input that its run has not loaded',
    ...{ faults: { join: 1 }, caught: 'a turn began with an input that its first round did not send' },
  },
  endIsGuarded: {
    ...{ rule: 'R30', file: ENDING, code: '(not answers or work.inputs = "inputsSent")' },
    without: 'an answer ends its turn although an input has joined',
    ...{ faults: { join: 1 }, caught: unheard },
  },
  endLooksAtLockedRow: {
    ...{ rule: 'R30', file: ENDING, code: 'for no key update of work' },
    without: 'an end counts inputs in a snapshot that is older than its lock',
    ...{ faults: { join: 1 }, caught: unheard },
  },
  supersededNeedsInput: {
    ...{
      rule: 'R30',
      file: `${TURNS}/commits/write-reply.ts`,
      code: '(not "onlySuperseded" or work.inputs > "inputsSent")',
    },
    without: 'an answer that was refused for another reason becomes an intermediate round',
    ...{ faults: { late: 1, fail: 1, retry: 1 }, caught: 'a round was due without an input to answer' },
  },
} satisfies Table;

export type InputGuards = Up<typeof inputGuards>;
