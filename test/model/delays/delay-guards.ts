import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { DelayFault } from './delay-fault.ts';

/** One condition that delayed turns depend on, and the faults that show its lack. */
export type DelayGuard = GuardWords & { faults: Left<DelayFault>; caught: { broken: string } | 'stuck' };

const QUEUE = 'packages/core/checkpoint/turns/delays/queue-delayed.ts';
const PROMOTION = 'packages/core/checkpoint/turns/commits/promote-next.ts';

/** What keeps a delayed turn out of the line until its time, and brings it in then: R35. */
export const delayGuards = {
  promotionLeavesDelayed: {
    ...{
      rule: 'R35',
      file: PROMOTION,
      code: 'waiting.conversation_id = ended.conversation_id and waiting.position is not null',
    },
    without: 'an end brings the next turn to the head, whether its time has come or not',
    ...{ faults: {}, caught: { broken: 'a turn was begun before its time' } },
  },
  queuedUnderLock: {
    ...{ rule: 'R35', file: QUEUE, code: 'order by id for no key update skip locked' },
    without: 'a turn whose time has come finds the head taken, and is written behind it when that has ended',
    ...{ faults: {}, caught: 'stuck' },
  },
  queuedIsCounted: {
    ...{ rule: 'R35', file: QUEUE, code: 'update conversations set turns = turns + number' },
    without: 'an end that found no turn waiting, before it had its lock, does not notice the one that came meanwhile',
    ...{ faults: {}, caught: 'stuck' },
  },
  positionIsTakenThen: {
    ...{
      rule: 'R35',
      file: 'packages/core/checkpoint/turns/create.ts',
      code: 'case when not isDelayed then position end',
    },
    without: 'a delayed turn has its position from its creation',
    ...{ faults: { create: 1 }, caught: { broken: 'a turn was begun after one that stands on it' } },
  },
  clockQueues: {
    ...{ rule: 'R35', file: 'services/worker/worker.ts', code: 'every(timing.delayedEveryMs' },
    without: 'only a job that waits in the queue brings a delayed turn in',
    ...{ faults: { flush: 1 }, caught: 'stuck' },
  },
  databaseClockDecides: {
    ...{ rule: 'R35', file: QUEUE, code: 'position is null and completed_at is null and start_at <= now()' },
    without: 'a worker queues what has come by its own clock',
    ...{ faults: { skew: 1 }, caught: { broken: 'a turn was begun before its time' } },
  },
} satisfies Record<string, DelayGuard>;

/** Which guards are up. */
export type DelayGuards = Readonly<Record<keyof typeof delayGuards, boolean>>;
