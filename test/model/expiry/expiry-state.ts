import type { Left } from '../explore/plain-model.ts';

/**
 * What happens a bounded number of times: callers start or retry a turn, and change when the conversation expires; a sweep finds
 * that the turn is too old.
 */
export type ExpiryFault = 'start' | 'change' | 'age';

/** A conversation that expires some time after the end of its last turn, or whose last turn is too old by then. */
export type ExpiryState = {
  isThere: boolean;
  /** Whether it expires at all, as its configuration says now. */
  expires: boolean;
  turn: 'none' | 'active' | 'ended';
  /** Whether it is long since the end of its last turn, or since its creation. */
  isOld: boolean;
  /** `conversations.expiry_due_at`. */
  due: 'never' | 'later' | 'now';
  /** What was found without a lock: that the conversation has expired, and that the turn is too old. */
  foundExpired: boolean;
  foundAged: boolean;
  left: Left<ExpiryFault>;
  broken: string | null;
};

/** A conversation that was just created. */
export function firstExpiryState(left: Left<ExpiryFault>): ExpiryState {
  return {
    ...{ isThere: true, expires: true, turn: 'none', isOld: false, due: 'later' },
    ...{ foundExpired: false, foundAged: false, left, broken: null },
  };
}
