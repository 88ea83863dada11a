import type { Waiter } from '#core/checkpoint/provider-limits/enter-line.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { lateInMs } from '#core/turn/tiers/change-tier.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups } from '../lease/stop-run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';

/** Returns the columns of a write by a run that gives its step back. */
export function tryOf({ id, turn, step, requests, edition, told }: Run) {
  return { turnId: turn.id, step, generation: turn.work.generation, runId: id, requests, edition, told };
}

/** Returns the turn of a run, with the time until its deadline as of now: a request may have taken long. */
export function turnNow({ turn, ageMs }: Run): Turn {
  const { deadlineInMs, tierWait } = turn.work;
  const work = {
    ...turn.work,
    deadlineInMs: deadlineInMs === null ? null : deadlineInMs - ageMs(),
    tierWait: tierWait && { ...tierWait, waitedMs: tierWait.waitedMs + ageMs() },
  };
  return { ...turn, work };
}

/**
 * Postpones a round for which there is no room under a limit of its provider: it was not asked, and nothing is counted.
 * It looks for room after `delayMs` at the latest.
 */
export async function waitUnderLimit(
  run: Run,
  { step, delayMs, waiter }: { step: RoundStep; delayMs: number; waiter: Waiter },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const later = {
    ...tryOf(run),
    ...{ called: [], attempt: false, rateLimited: true, waitedMs: 0, eventData: null },
    waiter,
    delayMs: Math.min(delayMs, Math.max(1, Math.ceil(lateInMs(turnNow(run))))),
  };
  const write = { verb: 'postponeStep', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => postponeStep(context.db, later));
  if (!wakeups) return dueWakeups(turn, context);
  const about = { event: 'round.limited', turn_id: turn.id, round: step.round };
  context.log.debug(about, `round ${step.round} waits for room under a limit of its provider`);
  context.watchers.publishContinued(turn.id);
  return wakeups;
}
