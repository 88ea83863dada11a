import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { ApprovalFault } from './approval-fault.ts';
import type { ApprovalGuards } from './approval-guards.ts';

type Arguments = 'asked' | 'first' | 'second';

/** A call that waits for a person, two callers who allow it with arguments of their own, and two workers. */
type ApprovalState = {
  /** What is committed of the decision; null while nobody has decided. */
  allowed: Arguments | null;
  callers: ('deciding' | 'writing' | 'accepted' | 'refused' | 'gone')[];
  workers: (Arguments | null)[];
  made: Arguments[];
  isAnswered: boolean;
  /** An equal call of the model came after the answer. */
  isAskedAgain: boolean;
  left: Left<ApprovalFault>;
  broken: string | null;
};

type Emit = EmitPlain<ApprovalState, ApprovalFault>;

const WANTED = ['first', 'second'] as const;

/** The model of a call that a person allows with other arguments (R39). */
export function approvalModel({ guards, left }: { guards: ApprovalGuards; left: Left<ApprovalFault> }) {
  const model: Model<ApprovalState> = plainModel<ApprovalState, ApprovalFault>({
    first: {
      ...{ allowed: null, callers: ['deciding', 'deciding'], workers: [null, null], made: [] },
      ...{ isAnswered: false, isAskedAgain: false, left, broken: null },
    },
    movesOf: (state, emit) => {
      WANTED.forEach((wanted, slot) => {
        decide(state, { wanted, slot, guards }, emit);
      });
      state.workers.forEach((_, slot) => {
        work(state, { slot, guards }, emit);
      });
      if (state.isAnswered && !state.isAskedAgain) askAgain(guards, emit);
    },
    brokenIn: ({ made, callers }) => {
      if (new Set(made).size > 1) return 'a call was made with two sets of arguments';
      const isAllowed = (args: Arguments) => args !== 'asked' && callers[WANTED.indexOf(args)] !== 'deciding';
      return made.every(isAllowed) ? null : 'a call was made with arguments that were not allowed';
    },
    isDone: ({ isAnswered, callers }) => isAnswered && callers.every((caller) => caller !== 'writing'),
  });
  return model;
}

type Caller = { wanted: (typeof WANTED)[number]; slot: number; guards: ApprovalGuards };

/** `answer-calls.ts`: one statement, and the API may die before its answer leaves. */
function decide(state: ApprovalState, { wanted, slot, guards }: Caller, emit: Emit): void {
  const name = `caller ${slot + 1}`;
  const become = (after: ApprovalState, caller: ApprovalState['callers'][number]) => {
    after.callers[slot] = caller;
  };
  if (state.callers[slot] === 'writing') {
    emit(`${name} writes its arguments`, (after) => {
      after.allowed = wanted;
      become(after, 'accepted');
    });
    emit(`${name} is gone before that`, (after) => become(after, 'gone'), 'crash');
  }
  if (state.callers[slot] !== 'deciding' || state.isAnswered) return;
  emit(`${name} allows the call`, (after) => {
    if (after.allowed !== null && guards.decisionIsFirst) {
      become(after, 'refused');
      return;
    }
    after.allowed = guards.argumentsAreInDecision ? wanted : 'asked';
    become(after, guards.argumentsAreInDecision ? 'accepted' : 'writing');
  });
}

/** A run loads the call, makes it under its one key, and saves the answer; another may be at it at the same time. */
function work(state: ApprovalState, { slot, guards }: { slot: number; guards: ApprovalGuards }, emit: Emit): void {
  const { allowed } = state;
  const args = state.workers[slot] ?? null;
  const name = `w${slot + 1}`;
  if (args === null) {
    if (allowed === null || state.isAnswered) return;
    emit(`${name} makes the call`, (after) => {
      const taken = guards.runTakesAllowed ? allowed : 'asked';
      after.workers[slot] = taken;
      if (!after.made.includes(taken)) after.made.push(taken);
    });
    return;
  }
  const leave = (after: ApprovalState) => {
    after.workers[slot] = null;
  };
  emit(`${name} saves the answer`, (after) => {
    leave(after);
    after.isAnswered = true;
  });
  emit(`${name} dies`, leave, 'crash');
}

/** The model asks for an equal call later, whose answer may be reused. */
function askAgain(guards: ApprovalGuards, emit: Emit): void {
  emit('the model asks for the same call again', (after) => {
    after.isAskedAgain = true;
    const keptFor = guards.cacheTakesAllowed ? after.made.at(-1) : 'asked';
    const isOther = keptFor === 'asked' && after.made.at(-1) !== 'asked';
    if (isOther) after.broken = 'a call was answered with the result of other arguments';
  });
}
