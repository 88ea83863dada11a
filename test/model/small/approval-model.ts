import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const answer = `${TURNS}/answer-calls.ts`;
const plan = `${WORKER}/batch/plan-calls.ts`;
const other = 'a call was made with arguments that no caller allowed';

/** The guards of the arguments that a person allows: R39. */
const approvalGuards = {
  decisionIsFirst: {
    ...{ rule: 'R39', file: answer, code: 'and (answer.approval is null or tool_calls.approval is null)' },
    without: 'a second decision replaces the first',
    ...{ faults: { crash: 1 }, caught: 'a call was made with two sets of arguments' },
  },
  argumentsAreInDecision: {
    ...{ rule: 'R39', file: answer, code: 'approval = coalesce(answer.approval, tool_calls.approval)' },
    without: 'one commit allows a call, and another commit writes its arguments',
    ...{ faults: {}, caught: other },
  },
  runTakesAllowed: {
    ...{ rule: 'R39', file: plan, code: 'const requested = { ...call, arguments: argumentsToRun(call) };' },
    without: 'a run makes the call with the arguments of the model',
    ...{ faults: {}, caught: other },
  },
  cacheTakesAllowed: {
    ...{ rule: 'R39', file: plan, code: 'cacheKey(conversationId, plan.tool, argumentsToRun(call))' },
    without: 'a result is kept for calls with the arguments of the model',
    ...{ faults: {}, caught: 'a call was answered with the result of other arguments' },
  },
} satisfies Table;

type ApprovalGuards = Up<typeof approvalGuards>;

type Arguments = 'asked' | 'first' | 'second';

/** A call that waits for a person, two callers who allow it with their own arguments, and two workers. */
type ApprovalState = Kept & {
  /** The committed arguments of the decision. Null while no person has decided. */
  allowed: Arguments | null;
  callers: ('deciding' | 'writing' | 'accepted' | 'refused' | 'gone')[];
  runs: (Arguments | null)[];
  made: Arguments[];
  isAnswered: boolean;
  /** Whether the model requested an equal call after the answer. */
  isAskedAgain: boolean;
};

const WANTED = ['first', 'second'] as const;

/** The model of a call that a person allows with other arguments (R39). */
export const approvalSuite: Suite = suiteOf({
  promise: 'a call is made with the arguments of its only decision',
  guards: approvalGuards,
  modelOf: (guards: ApprovalGuards, { faults }: { faults: Left }) =>
    plainModel<ApprovalState>({
      first: {
        ...{ allowed: null, callers: ['deciding', 'deciding'], runs: [null, null], made: [] },
        ...{ isAnswered: false, isAskedAgain: false },
      },
      faults,
      movesOf: (state, emit) => {
        WANTED.forEach((wanted, slot) => {
          decide(state, { wanted, slot, guards }, emit);
        });
        moveRuns(state, emit, (args, may, slot) => work({ state, args, slot }, guards, may));
        if (state.isAnswered && !state.isAskedAgain) askAgain(guards, emit);
      },
      brokenIn: ({ made, callers }) => {
        if (new Set(made).size > 1) return 'a call was made with two sets of arguments';
        const isAllowed = (args: Arguments) => args !== 'asked' && callers[WANTED.indexOf(args)] !== 'deciding';
        return made.every(isAllowed) ? null : 'a call was made with arguments that no caller allowed';
      },
      isDone: ({ isAnswered, callers }) => isAnswered && callers.every((caller) => caller !== 'writing'),
    }),
  scenes: ({ each }) => withFaults('approvals', [{ crash: each + 1 }]),
});

type Caller = { wanted: (typeof WANTED)[number]; slot: number; guards: ApprovalGuards };

/** Models `answer-calls.ts`: one statement. The API may die before its answer is sent. */
function decide(state: ApprovalState, { wanted, slot, guards }: Caller, emit: Emit<ApprovalState>): void {
  const name = `caller ${slot + 1}`;
  const become = (after: ApprovalState, caller: ApprovalState['callers'][number]) => {
    after.callers[slot] = caller;
  };
  if (state.callers[slot] === 'writing') {
    emit(`${name} writes its arguments`, (after) => {
      after.allowed = wanted;
      become(after, 'accepted');
    });
    emit(`${name} dies before that`, (after) => become(after, 'gone'), 'crash');
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

type Working = { state: ApprovalState; args: Arguments | null; slot: number };

/** Loads the call, makes it under its one key, and saves the answer. Another run may do the same concurrently. */
function work({ state, args, slot }: Working, guards: ApprovalGuards, may: MayRun<ApprovalState>): void {
  const { allowed } = state;
  const put = (after: ApprovalState, taken: Arguments | null) => void after.runs.splice(slot, 1, taken);
  if (args !== null) {
    may('saves the answer', (_, after) => {
      put(after, null);
      after.isAnswered = true;
    });
    may('dies', (_, after) => put(after, null), 'crash');
  } else if (allowed !== null && !state.isAnswered) {
    may('makes the call', (_, after) => {
      const taken = guards.runTakesAllowed ? allowed : 'asked';
      put(after, taken);
      if (!after.made.includes(taken)) after.made.push(taken);
    });
  }
}

/** Requests an equal call later, which may reuse the answer. */
function askAgain(guards: ApprovalGuards, emit: Emit<ApprovalState>): void {
  emit('the model asks for the same call again', (after) => {
    after.isAskedAgain = true;
    const keptFor = guards.cacheTakesAllowed ? after.made.at(-1) : 'asked';
    const isOther = keptFor === 'asked' && after.made.at(-1) !== 'asked';
    if (isOther) after.broken = 'a call was answered with the result of other arguments';
  });
}
