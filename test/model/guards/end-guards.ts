import type { Guard } from '../guard.ts';

const tools = { calls: 'tools' } as const;
const short = { calls: 'none' } as const;
const ahead = { calls: 'none', next: 'waits' } as const;

/** How a turn ends, comes back, and makes room: R12, R14, R17. */
export const endGuards = {
  endIsLast: {
    ...{
      rule: 'R12',
      file: 'packages/core/checkpoint/write-ending.ts',
      code: 'where isActive and ("onlyStep" is null or step = "onlyStep")',
    },
    without: 'a turn that has ended is ended again',
    ...{ scene: tools, faults: { cancel: 1 }, caught: { broken: 'a turn that had ended was ended again' } },
  },
  endSettlesCalls: {
    ...{
      rule: 'R12',
      file: 'packages/core/checkpoint/write-ending.ts',
      code: 'settled as (hasRound ? nothingOpen : settleCalls)',
    },
    without: 'an end leaves open calls behind',
    ...{ scene: tools, faults: { cancel: 1 }, caught: { broken: 'a turn ended with open calls' } },
  },
  endClearsHold: {
    ...{
      rule: 'R12',
      file: 'packages/core/checkpoint/write-ending.ts',
      code: 'due_at = null, held_by = null, held_until = null, at_head = false',
    },
    without: 'an end leaves the hold behind',
    ...{ scene: short, faults: {}, caught: { broken: 'an ended turn is still held' } },
  },
  retryOnlyFailed: {
    ...{
      rule: 'R14',
      file: 'packages/core/checkpoint/retry-turn.ts',
      code: "where id = turnId and status = 'failed'",
    },
    without: 'any ended turn can be reopened',
    ...{
      scene: short,
      faults: { cancel: 1, retry: 1 },
      caught: { broken: 'a turn that had ended for good was reopened' },
    },
  },
  retryIsDue: {
    ...{
      rule: 'R14',
      file: 'packages/core/checkpoint/retry-turn.ts',
      code: 'due_at = case when is_free then dueIn(timing.graceMs)',
    },
    without: 'a reopened turn is not due',
    ...{ scene: short, faults: { definite: 1, retry: 1, crash: 1 }, caught: 'stuck' },
  },
  retryRaisesRing: {
    ...{ rule: 'R14', file: 'packages/core/checkpoint/retry-turn.ts', code: 'ring = ring + 1, starts = 0' },
    without: 'a reopened turn is rung under an id that may still be live',
    ...{ scene: { calls: 'none', rescuerOff: true }, faults: { definite: 1, retry: 1 }, caught: 'stuck' },
  },
  retryMindsHead: {
    ...{ rule: 'R14', file: 'packages/core/checkpoint/retry-turn.ts' },
    code: 'select not exists (select from turns where conversation_id = turn.conversation_id and at_head) as is_free',
    without: 'a reopened turn goes to the head although another is there',
    ...{ scene: ahead, faults: { definite: 1, retry: 1 }, caught: { broken: 'two turns are at the head' } },
  },
  endPromotes: {
    ...{
      rule: 'R17',
      file: 'packages/core/checkpoint/write-ending.ts',
      code: 'promoted as (isOnly ? sqlselect null::json as ring : promoteNext)',
    },
    without: 'the next turn is promoted by somebody else',
    ...{ scene: ahead, faults: {}, caught: 'stuck' },
  },
  promotedIsDue: {
    ...{
      rule: 'R17',
      file: 'packages/core/checkpoint/promote-next.ts',
      code: 'set at_head = true, due_at = dueIn(timing.graceMs)',
    },
    without: 'a promoted turn is not due',
    ...{ scene: ahead, faults: { crash: 1 }, caught: 'stuck' },
  },
  endSeesOthers: {
    ...{ rule: 'R17', file: 'packages/core/checkpoint/write-ending.ts' },
    code: 'and seen.turns = conversation.turns and seen.reopened = conversation.reopened)',
    without: 'an end believes itself alone although a turn came meanwhile',
    ...{ scene: { calls: 'none', next: 'comes' }, faults: {}, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
