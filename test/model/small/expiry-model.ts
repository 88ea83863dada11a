import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, type Up } from '../guards/guard.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const expired = `${CHECKPOINT}/deletion/erase-expired.ts`;
const inUse = 'a conversation was erased while one of its turns was active';

/** The guards that expire old conversations and keep the others: R32. */
const expiryGuards = {
  expiryLocksConversation: {
    ...{ rule: 'R32', file: expired, code: 'for update skip locked' },
    without: 'the expiry of a conversation is read before the conversation is locked',
    ...{ faults: { start: 1 }, caught: inUse },
  },
  activeDoesNotExpire: {
    ...{ rule: 'R32', file: `${CHECKPOINT}/sql/expires-at.ts` },
    code: 'select from work where work.conversation_id = conversations.id',
    without: 'the expiry of a conversation counts from the end of an earlier turn',
    ...{ faults: { start: 2 }, caught: inUse },
  },
  expiryIsLookedAtAgain: {
    ...{ rule: 'R32', file: expired, code: 'when hidden_at is null then coalesce(expiresAt' },
    without: 'a conversation that has not expired yet is not checked again',
    ...{ faults: { start: 1 }, caught: 'stuck' },
  },
  createdIsLookedAt: {
    ...{ rule: 'R32', file: `${CHECKPOINT}/conversations.ts`, code: 'now() + make_interval(secs =>' },
    without: 'a new conversation has no time for its check',
    ...{ faults: {}, caught: 'stuck' },
  },
  changedIsLookedAt: {
    ...{ rule: 'R32', file: 'migrations/0001-pawl.sql', code: 'is distinct from old.config' },
    without: 'a conversation is not checked after its expiry was shortened',
    ...{ faults: { change: 2 }, caught: 'stuck' },
  },
  agedIsReadUnderLock: {
    ...{ rule: 'R32', file: `${CHECKPOINT}/deletion/erase-aged.ts` },
    code: 'conversation_id in (listed(conversationIds)) and goesByAge(days)',
    without: 'a turn that was found too old is erased although it was reopened since',
    ...{ faults: { start: 2, age: 1 }, caught: inUse },
  },
} satisfies Table;

type ExpiryGuards = Up<typeof expiryGuards>;

/** A conversation expires some time after its last turn ends, or when its last turn is too old. */
type ExpiryState = Kept & {
  isThere: boolean;
  /** Whether the conversation expires, by its present configuration. */
  expires: boolean;
  turn: 'none' | 'active' | 'ended';
  /** Whether the end of its last turn, or its creation, is long ago. */
  isOld: boolean;
  /** `conversations.expiry_due_at`. */
  due: 'never' | 'later' | 'now';
  /** The findings of a sweep without a lock: the conversation has expired, and the turn is too old. */
  foundExpired: boolean;
  foundAged: boolean;
};

/** The model of a conversation that expires, and of a last turn that is deleted by age (R32). */
export const expirySuite: Suite = suiteOf({
  promise: 'old content is deleted, but never content in use',
  guards: expiryGuards,
  modelOf: (guards: ExpiryGuards, { faults }: { faults: Left }) =>
    plainModel<ExpiryState>({
      first: {
        ...{
          isThere: true,
          expires: true,
          turn: 'none',
          isOld: false,
          due: guards.createdIsLookedAt ? 'later' : 'never',
        },
        ...{ foundExpired: false, foundAged: false },
      },
      faults,
      movesOf: (state, emit) => {
        if (!state.isThere) return;
        continueConversation(state, guards, emit);
        expire(state, guards, emit);
        sweepAged(state, guards, emit);
      },
      // A conversation that does not expire is deleted by age, or stays.
      isDone: ({ isThere, expires, turn }) => !isThere || (!expires && turn !== 'active'),
    }),
  scenes: ({ each }) => withFaults('expiry', [{ start: each + 2, change: each + 1, age: each + 1 }]),
});

function continueConversation(
  { turn, due }: ExpiryState,
  { changedIsLookedAt }: ExpiryGuards,
  emit: Emit<ExpiryState>,
): void {
  emit('time passes', (after) => {
    if (after.turn !== 'active') after.isOld = true;
    if (after.due === 'later') after.due = 'now';
  });
  if (turn !== 'active')
    emit('a turn is started, or retried', (after) => Object.assign(after, { turn: 'active' }), 'start');
  else emit('the turn ends', (after) => Object.assign(after, { turn: 'ended', isOld: false }));
  emit(
    'a caller changes the expiry of the conversation',
    (after) => {
      after.due = after.expires ? 'never' : changedIsLookedAt ? 'now' : due;
      after.expires = !after.expires;
    },
    'change',
  );
}

/** Models `erase-expired.ts`: checks a conversation when it is due, under its lock. */
function expire(state: ExpiryState, guards: ExpiryGuards, emit: Emit<ExpiryState>): void {
  if (state.foundExpired) emit('the expired conversation is erased', (after) => erase(after));
  if (state.due !== 'now') return;
  const isOver = state.expires && state.isOld && (state.turn !== 'active' || !guards.activeDoesNotExpire);
  emit(`the conversation is checked: ${isOver ? 'it has expired' : 'it is kept'}`, (after) => {
    if (isOver && guards.expiryLocksConversation) erase(after);
    else if (isOver) after.foundExpired = true;
    else after.due = after.expires && guards.expiryIsLookedAtAgain ? 'later' : 'never';
  });
}

/** Models `erase-aged.ts`: finds a turn by its age, and reads it again under the lock of its conversation. */
function sweepAged(state: ExpiryState, guards: ExpiryGuards, emit: Emit<ExpiryState>): void {
  const isAged = state.turn === 'ended' && state.isOld;
  if (isAged && !state.foundAged)
    emit('the eraser finds the turn too old', (after) => Object.assign(after, { foundAged: true }), 'age');
  if (!state.foundAged) return;
  emit('the turn is locked, and erased if it is still too old', (after) => {
    after.foundAged = false;
    if (isAged || !guards.agedIsReadUnderLock) erase(after);
  });
}

function erase(state: ExpiryState): void {
  if (state.turn === 'active') state.broken ??= 'a conversation was erased while one of its turns was active';
  if (!state.isOld) state.broken ??= 'a conversation was erased before its expiry';
  state.isThere = false;
}
