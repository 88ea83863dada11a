import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { ExpiryGuards } from './expiry-guards.ts';
import { type ExpiryFault, type ExpiryState, firstExpiryState } from './expiry-state.ts';

type Emit = EmitPlain<ExpiryState, ExpiryFault>;

/** The model of a conversation that expires, and of a last turn that goes by its age (R32). */
export function expiryModel({ guards, left }: { guards: ExpiryGuards; left: Left<ExpiryFault> }): Model<ExpiryState> {
  const first: ExpiryState = firstExpiryState(left);
  const unseen: ExpiryState = { ...first, due: 'never' };
  return plainModel({
    first: guards.createdIsLookedAt ? first : unseen,
    movesOf: (state, emit) => {
      if (!state.isThere) return;
      continueConversation(state, guards, emit);
      expire(state, guards, emit);
      sweepAged(state, guards, emit);
    },
    brokenIn: () => null,
    // What does not expire goes by its age, or stays.
    isDone: ({ isThere, expires, turn }) => !isThere || (!expires && turn !== 'active'),
  });
}

function continueConversation({ turn, due }: ExpiryState, { changedIsLookedAt }: ExpiryGuards, emit: Emit): void {
  emit('time passes', (after) => {
    if (after.turn !== 'active') after.isOld = true;
    if (after.due === 'later') after.due = 'now';
  });
  if (turn !== 'active')
    emit('a turn is started, or retried', (after) => Object.assign(after, { turn: 'active' }), 'start');
  else emit('the turn ends', (after) => Object.assign(after, { turn: 'ended', isOld: false }));
  emit(
    'a caller changes when the conversation expires',
    (after) => {
      after.due = after.expires ? 'never' : changedIsLookedAt ? 'now' : due;
      after.expires = !after.expires;
    },
    'change',
  );
}

/** `erase-expired.ts`: it is looked at when it is due, under its lock. */
function expire(state: ExpiryState, guards: ExpiryGuards, emit: Emit): void {
  if (state.foundExpired) emit('the expired conversation is erased', (after) => erase(after));
  if (state.due !== 'now') return;
  const isOver = state.expires && state.isOld && (state.turn !== 'active' || !guards.activeDoesNotExpire);
  emit(`the conversation is looked at: ${isOver ? 'it has expired' : 'it goes on'}`, (after) => {
    if (isOver && guards.expiryLocksConversation) erase(after);
    else if (isOver) after.foundExpired = true;
    else after.due = after.expires && guards.expiryIsLookedAtAgain ? 'later' : 'never';
  });
}

/** `erase-aged.ts`: a turn is found by its age, and read once more under the lock of its conversation. */
function sweepAged(state: ExpiryState, guards: ExpiryGuards, emit: Emit): void {
  const isAged = state.turn === 'ended' && state.isOld;
  if (isAged && !state.foundAged)
    emit('the turn is found too old', (after) => Object.assign(after, { foundAged: true }), 'age');
  if (!state.foundAged) return;
  emit('the turn is locked and erased, if it still is too old', (after) => {
    after.foundAged = false;
    if (isAged || !guards.agedIsReadUnderLock) erase(after);
  });
}

function erase(state: ExpiryState): void {
  if (state.turn === 'active') state.broken ??= 'a conversation went while a turn of it was active';
  if (!state.isOld) state.broken ??= 'a conversation went before its time';
  state.isThere = false;
}
