import { claimCalls } from '#core/checkpoint/claim-calls.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { nextStep, type Step } from '#core/turn/next-step.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { ToolCall } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { type Moment, momentNow } from '../moment.ts';
import { type CallPlan, planCalls } from '../plan-call.ts';
import { openResultBox } from '../result-box.ts';
import { reuseResults } from '../reuse-results.ts';
import type { Run } from '../run.ts';
import { answerCall } from './answer-call.ts';
import { stopRun } from './stop-run.ts';
import { whatIsOwed } from './what-is-owed.ts';

export type BatchStep = Extract<Step, { kind: 'run-tool-batch' }>;

/** Runs the calls a round still owes, side by side; each result is saved the moment it is known. */
export async function runToolBatch(run: Run, { round, calls }: BatchStep, context: WorkerContext): Promise<Ring[]> {
  const log = context.log.child({ turn_id: run.turn.id, round });
  const startedAt = performance.now();
  log.info(`tool calls started: [${calls.map((call) => call.name).join(', ')}]`);

  const planned = await planCalls(run.turn, calls);
  const plans = await reuseResults(run.turn, planned, context);
  const mine = await claim(run, { round, calls: plans.filter(wantsClaim).map(({ call }) => call) }, context);
  const able = plans.filter((planned) => !wantsClaim(planned) || mine.indexes.has(planned.call.index));
  const box = openResultBox(run, round, context);
  const calling = able.map(async (planned) => {
    const known = await answerCall(run, { ...planned, claimedAt: mine.sentAt }, context);
    if (known) await box.put(planned.call, known);
  });
  await allOrThrow(calling);

  if (run.signal.aborted) return stopRun(run, context);
  const { rings } = box;
  if (rings.length === 0) return goOn(run, { round, calls }, context);
  log.info({ duration_ms: Math.round(performance.now() - startedAt) }, `round ${round} complete: ${countOf(calls)}`);
  return rings;
}

/** A call that breaks off does not leave its siblings behind: all are waited for, and vouched for, before it is told. */
async function allOrThrow(calling: Promise<void>[]): Promise<void> {
  const broken = (await Promise.allSettled(calling)).find((settled) => settled.status === 'rejected');
  if (broken) throw broken.reason;
}

/** Calls that were allowed while their siblings ran are run too, before the batch is left (R15). */
async function goOn(run: Run, { round, calls }: Omit<BatchStep, 'kind'>, context: WorkerContext): Promise<Ring[]> {
  const now = await context.turns.load(run.turn.id);
  const next = now && nextStep(now);
  if (next?.kind !== 'run-tool-batch' || next.round !== round) return whatIsOwed(run.turn, context);
  const fresh = next.calls.filter((call) => !calls.some((known) => known.index === call.index));
  return fresh.length > 0 ? runToolBatch(run, { ...next, calls: fresh }, context) : [];
}

function countOf(calls: ToolCall[]): string {
  return `${calls.length} tool${calls.length === 1 ? '' : 's'}`;
}

function wantsClaim({ plan }: { plan: CallPlan }): boolean {
  return plan.kind === 'run' && plan.tool.effect === 'at_most_once';
}

/**
 * Claims in one transaction what may run at most once; what another has is left to the other (R6). A run
 * that was stopped claims nothing, since it will not call (R4).
 */
async function claim(
  { id, turn, signal }: Run,
  { round, calls }: { round: number; calls: ToolCall[] },
  { db }: WorkerContext,
): Promise<{ indexes: Set<number>; sentAt: Moment }> {
  const sentAt = momentNow();
  if (calls.length === 0 || signal.aborted) return { indexes: new Set(), sentAt };
  const wanted = { turnId: turn.id, round, runId: id, indexes: calls.map((call) => call.index) };
  return { indexes: new Set(await persist(() => claimCalls(db, wanted))), sentAt };
}
