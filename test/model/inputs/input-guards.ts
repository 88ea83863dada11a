import { type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';

const JOIN = `${TURNS}/inputs/join.ts`;
const ENDING = `${TURNS}/commits/write-ending.ts`;
const unheard = 'a turn was answered before an input that had joined';

/** The guards that send each input once, in order, and lose none: R26, R29, R30. */
export const inputGuards = {
  joinNeedsActiveTurn: {
    ...{ rule: 'R26', file: JOIN },
    code: 'update work set inputs = inputs + 1, last_event = last_event + 1 where id = turnId',
    without: 'an input joins a turn that has ended since its caller looked',
    ...{ faults: { join: 1 }, caught: 'an input joined a turn that had ended' },
  },
  joinIsLocked: {
    ...{ rule: 'R26', file: 'services/start/start-turn.ts', code: 'lockVisibleConversation(trx, conversationId)' },
    without: 'two callers find the turn ended, and make a turn each',
    ...{ faults: { join: 2 }, caught: 'two callers made a turn each, side by side' },
  },
  joinKeepsGeneration: {
    ...{ rule: 'R26', file: JOIN, code: 'set inputs = inputs + 1, last_event = last_event + 1 where' },
    without: 'a join enqueues the step again, and the run on it loses it',
    ...{ faults: { join: 2 }, caught: 'a run lost its step to a join' },
  },
  joinKeepsDue: {
    ...{ rule: 'R26', file: JOIN, code: 'set inputs = inputs + 1, last_event = last_event + 1 where' },
    without: 'a join makes a late turn look as if a worker were on it',
    ...{ faults: { join: 1, late: 1, crash: 1 }, caught: 'a join hid that no worker is on the turn' },
  },
  sentIsWhatWasLoaded: {
    ...{ rule: 'R29', file: `${WORKER}/round/commit-round.ts`, code: 'sent: turn.joined.length' },
    without: 'a commit books all that has joined by then as sent',
    ...{ faults: { join: 1 }, caught: 'an input was booked as sent that no model was sent' },
  },
  beginTakesInputs: {
    ...{ rule: 'R29', file: `${TURNS}/begin.ts`, code: 'joinedCount === (row.joined?.length ?? 0)' },
    without: 'a turn begins with an input that its run has not loaded',
    ...{ faults: { join: 1 }, caught: 'a turn began with what its first round was not sent' },
  },
  endIsGuarded: {
    ...{ rule: 'R30', file: ENDING, code: '(not answers or work.inputs = sent)' },
    without: 'an answer ends its turn although an input has joined',
    ...{ faults: { join: 1 }, caught: unheard },
  },
  endLooksAtLockedRow: {
    ...{ rule: 'R30', file: ENDING, code: 'for no key update of work' },
    without: 'an end looks for inputs in a snapshot that is older than its lock',
    ...{ faults: { join: 1 }, caught: unheard },
  },
  surpassedNeedsInput: {
    ...{ rule: 'R30', file: `${TURNS}/commits/write-reply.ts`, code: '(not "onlySurpassed" or work.inputs > sent)' },
    without: 'an answer that was refused for another reason becomes a round in the middle',
    ...{ faults: { late: 1, fail: 1, retry: 1 }, caught: 'a round was due with nothing to answer' },
  },
} satisfies Table;

export type InputGuards = Up<typeof inputGuards>;
