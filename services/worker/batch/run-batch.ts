import { openAnswerSlot } from '#core/bounds/answer-slots.ts';
import { claimCalls } from '#core/checkpoint/turns/claim-calls.ts';
import { lackedBy } from '#core/tools/loaded-tools.ts';
import { type NextStep, nextStep } from '#core/turn/next-step.ts';
import type { ToolCall } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run, StopReason } from '../lease/run.ts';
import { dueWakeups, stopRun } from '../lease/stop-run.ts';
import { type Stopwatch, startStopwatch } from '../lease/stopwatch.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { answerCall } from './answer-call.ts';
import { handOn, toolLackedBy } from './hand-on.ts';
import { type CallPlan, planCalls, reuseResults } from './plan-calls.ts';
import { openResultWriter } from './result-writer.ts';

export type BatchStep = Extract<NextStep, { kind: 'run-tool-batch' }>;

/**
 * Runs the open calls of a round in parallel, and saves each result as soon as it is known. Leaves calls of tools
 * that this worker has not loaded to another worker. For `called` see `handBack`.
 */
export async function runToolBatch(
  run: Run,
  { round, calls, called: calledBefore = [] }: BatchStep & { called?: number[] },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const log = context.log.child({ turn_id: run.turn.id, round });
  const startedAt = performance.now();
  const planned = await reuseResults(run.turn, await planCalls(run.turn, calls), context);
  const plans = planned.filter(({ plan }) => plan.kind !== 'run' || lackedBy(plan.tool, context) === null);
  const names = plans.map(({ call }) => call.name).join(', ');
  if (plans.length > 0) log.info({ event: 'tool_calls.started' }, `tool calls started: [${names}]`);

  const claimed = await claim(run, { round, calls: plans.filter(needsClaim).map(({ call }) => call) }, context);
  const own = plans.filter((planned) => !needsClaim(planned) || claimed.indexes.has(planned.call.index));
  const writer = openResultWriter(run, round, context);
  const calling = own.map(async (planned) => {
    const startedAt = Date.now();
    // A large answer keeps its slot until it is saved.
    using slot = openAnswerSlot(run.turn.project);
    const known = await answerCall(run, { ...planned, claimedAt: claimed.sentAt, slot }, context);
    if (known) await writer.write(planned.call, { ...known, startedAt, endedAt: Date.now() });
    return known && needsClaim(planned) ? [planned.call.index] : [];
  });
  const called = [...calledBefore, ...(await allOrThrow(calling)).flat()];

  const { wakeups } = writer;
  const { signal } = run.lease;
  if (signal.aborted && !goesOn(signal.reason, wakeups)) return stopRun(run, context, called);
  if (wakeups.length === 0) return goOn(run, { round, calls, called }, context);
  const durationMs = Math.round(performance.now() - startedAt);
  log.info({ event: 'tool_calls.completed', duration_ms: durationMs }, `round ${round} complete: ${countOf(calls)}`);
  return wakeups;
}

/**
 * Returns true if a batch was complete before its run was stopped, since its commit may have leased the next step
 * (R3). After a cancel or at the deadline, the turn itself ends.
 */
function goesOn(stopped: StopReason, wakeups: Wakeup[]): boolean {
  const isComplete = wakeups.some(({ kind }) => kind === 'turn');
  return isComplete && stopped !== 'cancelled' && stopped !== 'deadline';
}

/** Awaits all calls before it throws the first failure, so that no call continues without the lease. */
async function allOrThrow<Result>(calling: Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(calling);
  return Promise.all(calling);
}

/**
 * Runs calls that were allowed while their siblings ran, before the run leaves the batch (R15). Hands the batch on if
 * open calls need tools that this worker has not loaded.
 */
async function goOn(
  run: Run,
  { round, calls, called }: Omit<BatchStep, 'kind'> & { called: number[] },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const now = await context.turnCache.load(run.turn.id);
  const next = now && nextStep(now);
  if (!now || next?.kind !== 'run-tool-batch' || next.round !== round) return dueWakeups(run, context);
  const fresh = next.calls.filter((call) => !calls.some((known) => known.index === call.index));
  if (fresh.length > 0) return runToolBatch(run, { ...next, calls: fresh, called }, context);
  const lacked = next.calls.flatMap((call) => toolLackedBy(now, call, context) ?? []);
  return lacked.length > 0 ? handOn(run, { lacked: [...new Set(lacked)], called }, context) : [];
}

function countOf(calls: ToolCall[]): string {
  return `${calls.length} tool${calls.length === 1 ? '' : 's'}`;
}

function needsClaim({ plan }: { plan: CallPlan }): boolean {
  return plan.kind === 'run' && plan.tool.effect === 'at_most_once';
}

/**
 * Claims the calls that may run at most once, in one transaction. Leaves calls that another run has claimed to that
 * run (R6). A stopped run claims no calls, since it makes no calls (R4).
 */
async function claim(
  { turn, lease: { id, signal } }: Run,
  { round, calls }: { round: number; calls: ToolCall[] },
  context: WorkerContext,
): Promise<{ indexes: Set<number>; sentAt: Stopwatch }> {
  const sentAt = startStopwatch();
  if (calls.length === 0 || signal.aborted) return { indexes: new Set(), sentAt };
  const wanted = { turnId: turn.id, round, runId: id, indexes: calls.map((call) => call.index) };
  const write = { verb: 'claimCalls', turnId: turn.id };
  const indexes = await writeCheckpoint(context, write, () => claimCalls(context.db, wanted));
  return { indexes: new Set(indexes), sentAt };
}
