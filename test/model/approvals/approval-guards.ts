import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { ApprovalFault } from './approval-fault.ts';

/** One condition that allowed arguments depend on, and the faults that show its lack. */
export type ApprovalGuard = GuardWords & { faults: Left<ApprovalFault>; caught: { broken: string } };

const answer = 'packages/core/checkpoint/turns/answer-calls.ts';
const plan = 'services/worker/batch/plan-calls.ts';
const other = { broken: 'a call was made with arguments that were not allowed' };

/** What a call runs with once a person has allowed it: R39. */
export const approvalGuards = {
  decisionIsFirst: {
    ...{ rule: 'R39', file: answer, code: 'and (answer.approval is null or tool_calls.approval is null)' },
    without: 'a second decision replaces the first',
    ...{ faults: { crash: 1 }, caught: { broken: 'a call was made with two sets of arguments' } },
  },
  argumentsAreInDecision: {
    ...{ rule: 'R39', file: answer, code: 'approval = coalesce(answer.approval, tool_calls.approval)' },
    without: 'a call is allowed in one commit, and its arguments are written in another',
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
    ...{ faults: {}, caught: { broken: 'a call was answered with the result of other arguments' } },
  },
} satisfies Record<string, ApprovalGuard>;

/** Which guards are up. */
export type ApprovalGuards = Readonly<Record<keyof typeof approvalGuards, boolean>>;
