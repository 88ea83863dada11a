import { claimCalls } from '#core/checkpoint/claim-calls.ts';
import { persist } from '#core/checkpoint/persist.ts';
import type { Step } from '#core/turn/next-step.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { ToolCall } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { type CallPlan, planCall } from '../plan-call.ts';
import type { Run } from '../run.ts';
import { answerCall } from './answer-call.ts';
import { stopRun } from './stop-run.ts';
import { whatIsOwed } from './work-turn.ts';

export type BatchStep = Extract<Step, { kind: 'run-tool-batch' }>;

/** Runs the calls a round still owes, side by side; each result is saved the moment it is known. */
export async function runToolBatch(run: Run, { round, calls }: BatchStep, context: WorkerContext): Promise<Ring[]> {
  const log = context.log.child({ turn_id: run.turn.id, round });
  const startedAt = performance.now();
  log.info(`tool calls started: [${calls.map((call) => call.name).join(', ')}]`);

  const plans = calls.map((call) => ({ call, plan: planCall(run.turn, call) }));
  const mine = await claim(run, { round, calls: plans.filter(wantsClaim).map(({ call }) => call) }, context);
  const able = plans.filter((planned) => !wantsClaim(planned) || mine.indexes.has(planned.call.index));
  const answers = await Promise.all(
    able.map((planned) => answerCall(run, { ...planned, claimedAt: mine.sentAt }, context)),
  );

  const ring = answers.find((answer) => answer.ring !== null)?.ring;
  if (ring) {
    log.info(
      { duration_ms: Math.round(performance.now() - startedAt) },
      `round ${round} complete: ${calls.length} tool${calls.length === 1 ? '' : 's'}`,
    );
    return [ring];
  }
  return run.signal.aborted ? stopRun(run, context) : whatIsOwed(run.turn, context);
}

function wantsClaim({ plan }: { plan: CallPlan }): boolean {
  return plan.kind === 'run' && plan.tool.effect === 'at_most_once';
}

/** Claims in one transaction what may run at most once; what another has is left to the other (R6). */
async function claim(
  { id, turn }: Run,
  { round, calls }: { round: number; calls: ToolCall[] },
  { db }: WorkerContext,
): Promise<{ indexes: Set<number>; sentAt: number }> {
  const sentAt = performance.now();
  if (calls.length === 0) return { indexes: new Set(), sentAt };
  const wanted = { turnId: turn.id, round, runId: id, indexes: calls.map((call) => call.index) };
  return { indexes: new Set(await persist(() => claimCalls(db, wanted))), sentAt };
}
