import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { ExpiryFault } from './expiry-state.ts';

/** One condition that retention depends on, and what callers do where its lack shows. */
export type ExpiryGuard = GuardWords & { faults: Left<ExpiryFault>; caught: 'stuck' | { broken: string } };

const expired = 'packages/core/checkpoint/deletion/erase-expired.ts';
const inUse = { broken: 'a conversation went while a turn of it was active' };

/** What lets go of the old and keeps the living: R32. */
export const expiryGuards = {
  expiryLocksConversation: {
    ...{ rule: 'R32', file: expired, code: 'for update skip locked' },
    without: 'whether a conversation has expired is looked up before it is locked',
    ...{ faults: { start: 1 }, caught: inUse },
  },
  activeDoesNotExpire: {
    ...{
      rule: 'R32',
      file: 'packages/core/checkpoint/sql/expires-at.ts',
      code: 'select from work where work.conversation_id = conversations.id',
    },
    without: 'a conversation expires by the end of an earlier turn',
    ...{ faults: { start: 2 }, caught: inUse },
  },
  expiryIsLookedAtAgain: {
    ...{ rule: 'R32', file: expired, code: 'when hidden_at is null then coalesce(expiresAt' },
    without: 'a conversation that has not expired yet is not looked at again',
    ...{ faults: { start: 1 }, caught: 'stuck' },
  },
  createdIsLookedAt: {
    ...{ rule: 'R32', file: 'packages/core/checkpoint/conversations.ts', code: 'now() + make_interval(secs =>' },
    without: 'nothing says when to look at a new conversation',
    ...{ faults: {}, caught: 'stuck' },
  },
  changedIsLookedAt: {
    ...{ rule: 'R32', file: 'migrations/0001-pawl.sql', code: 'is distinct from old.config' },
    without: 'a conversation that is to expire by now is not looked at',
    ...{ faults: { change: 2 }, caught: 'stuck' },
  },
  agedIsReadUnderLock: {
    ...{
      rule: 'R32',
      file: 'packages/core/checkpoint/deletion/erase-aged.ts',
      code: 'conversation_id in (listed(lines)) and goesByAge(days)',
    },
    without: 'a turn that was found too old is erased although it was reopened since',
    ...{ faults: { start: 2, age: 1 }, caught: inUse },
  },
} satisfies Record<string, ExpiryGuard>;

/** Which guards are up. */
export type ExpiryGuards = Readonly<Record<keyof typeof expiryGuards, boolean>>;
