import { type Guard, TURNS } from './guard.ts';

const tools = { calls: 'tools' } as const;
const short = { calls: 'none' } as const;
const ahead = { calls: 'none', next: 'waits' } as const;

/** The guards of a turn's end, its return and its promotion of the next turn: R12, R14, R17. */
export const endGuards = {
  endIsFinal: {
    ...{ rule: 'R12', file: `${TURNS}/commits/write-ending.ts`, code: 'join work on mayEnd for no key update of work' },
    shared: {
      file: `${TURNS}/commits/write-ending.ts`,
      code: 'work.id = "turnId" and ("onlyStep" is null or work.step = "onlyStep")',
    },
    without: 'a turn that has ended is ended again',
    ...{ scene: tools, faults: { cancel: 1 }, caught: 'an ended turn was ended again' },
  },
  endSettlesCalls: {
    ...{ rule: 'R12', file: `${TURNS}/commits/write-ending.ts`, code: 'settled as (hasRound ? noCalls : settleCalls)' },
    without: 'an end does not settle open calls',
    ...{ scene: tools, faults: { cancel: 1 }, caught: 'a turn ended with open calls' },
  },
  endClearsLease: {
    ...{ rule: 'R12', file: `${TURNS}/commits/write-ending.ts` },
    code: 'gone as (delete from work using target where work.id = target.id returning work.id)',
    without: 'an end does not release the lease',
    ...{ scene: short, faults: {}, caught: 'an ended turn still has a lease' },
  },
  retryOnlyFailed: {
    ...{ rule: 'R14', file: `${TURNS}/retry.ts`, code: "where id = turnId and status = 'failed'" },
    without: 'any ended turn can be reopened',
    ...{ scene: short, faults: { cancel: 1, retry: 1 }, caught: 'a permanently ended turn was reopened' },
  },
  retryIsDue: {
    ...{ rule: 'R14', file: `${TURNS}/retry.ts` },
    code: 'case when is_free and not needsSlot then dueIn(timing.graceMs)',
    without: 'a reopened turn is not due',
    ...{ scene: short, faults: { definite: 1, retry: 1, crash: 1 }, caught: 'stuck' },
  },
  retryRaisesGeneration: {
    ...{ rule: 'R14', file: `${TURNS}/retry.ts`, code: 'step, generation + 1, draft,' },
    without: 'a reopened turn is enqueued under an id that may still be live',
    ...{ scene: { calls: 'none', rescuerOff: true }, faults: { definite: 1, retry: 1 }, caught: 'stuck' },
  },
  retryChecksHead: {
    ...{ rule: 'R14', file: `${TURNS}/retry.ts` },
    code: 'select not exists (select from work where conversation_id = turn.conversation_id and at_head) as is_free',
    without: 'a reopened turn moves to the head although another turn is there',
    ...{ scene: ahead, faults: { definite: 1, retry: 1 }, caught: 'two turns are at the head' },
  },
  endPromotesNext: {
    ...{ rule: 'R17', file: `${TURNS}/commits/write-ending.ts`, code: ': promoteNext)' },
    without: 'the end does not promote the next turn',
    ...{ scene: ahead, faults: {}, caught: 'stuck' },
  },
  promotedTurnIsDue: {
    ...{ rule: 'R17', file: `${TURNS}/commits/promote-next.ts` },
    code: 'set at_head = true, due_at = dueWithSlot(dueIn(timing.graceMs))',
    without: 'a promoted turn is not due',
    ...{ scene: ahead, faults: { crash: 1 }, caught: 'stuck' },
  },
  endSeesNewTurns: {
    ...{ rule: 'R17', file: `${TURNS}/commits/write-ending.ts` },
    code: 'and seen.turns = conversation.turns and seen.reopened = conversation.reopened)',
    without: 'an end finds no waiting turn although a caller has just created a turn',
    ...{ scene: { calls: 'none', next: 'comes' }, faults: {}, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
