import { endTurn } from '#core/checkpoint/turns/end.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { nextStep } from '#core/turn/next-step.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { reportTurnEnd } from '../../process/report-turn-end.ts';
import type { WorkerContext } from '../context.ts';
import { failedTry, reportFailedAttempt } from '../report/report-attempt.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import type { Run, StopReason } from './run.ts';

/** Leaves a step that was stopped in the middle, as its reason to stop says. */
export async function stopRun(run: Run, context: WorkerContext): Promise<Wakeup[]> {
  const { turn, signal, requests } = run;
  const reason: StopReason = signal.reason;
  if (reason !== 'lost') reportFailedAttempt(run, reason, context);
  switch (reason) {
    case 'cancelled':
    case 'lost':
      return dueWakeups(turn, context);
    case 'deadline':
      return endAtDeadline(turn, context, requests);
    case 'shutdown':
      return handBack(run, context);
  }
}

/** Gives a step back, due at once, for another run. */
export async function handBack(run: Run, context: WorkerContext): Promise<Wakeup[]> {
  const { id, turn, step, called, requests, edition, told } = run;
  const at = { turnId: turn.id, step, generation: turn.work.generation, runId: id, called: [...called] };
  const back = { ...at, delayMs: 0, attempt: false, rateLimited: false, waitedMs: 0, requests, edition, told };
  const write = { verb: 'postponeStep', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () =>
    postponeStep(context.db, { ...back, failed: failedTry(run, context), eventData: null }),
  );
  return wakeups ?? dueWakeups(turn, context);
}

/**
 * Ends a turn at its deadline, also while a worker is on it: like a cancel, and without a summary (contract: limits). It
 * cuts off `failedRequests` requests to the model.
 */
export async function endAtDeadline(turn: Turn, context: WorkerContext, failedRequests = 0): Promise<Wakeup[]> {
  const { id, conversationId } = turn;
  const because = { status: 'incomplete' as const, incompleteReason: 'deadline' as const };
  const ending = { turnId: id, conversationId, ...because, failedRequests };
  const wakeups = await writeEnding(ending, context);
  if (!wakeups) return [];

  const { pubsub, watchers, log } = context;
  log.info({ event: 'turn.ended', turn_id: id, status: 'incomplete' }, 'turn ended at its deadline');
  reportTurnEnd(turn, because, context);
  pubsub.publishToWorkers({ kind: 'cancelled', turnId: id });
  watchers.publishChange(id, wakeups);
  return wakeups;
}

/** Ends a turn as failed; only a run that still has its step may do so (R5). */
export async function failTurn(run: Run, error: TurnError, context: WorkerContext): Promise<Wakeup[]> {
  const { id, turn, step, requests } = run;
  const ending = {
    turnId: turn.id,
    conversationId: turn.conversationId,
    status: 'failed' as const,
    error,
    run: { id, generation: turn.work.generation },
    failedRequests: requests,
    step,
  };
  const wakeups = await writeEnding(ending, context);
  if (!wakeups) return dueWakeups(turn, context);

  reportFailedAttempt(run, error.code, context);
  reportTurnEnd(turn, { status: 'failed', errorCode: error.code }, context);
  const about = { event: 'turn.ended', turn_id: turn.id, status: 'failed', step, code: error.code };
  context.log.warn(about, `turn failed: ${error.code}`);
  context.watchers.publishChange(turn.id, wakeups);
  return wakeups;
}

/** Writes the end of a turn; null where a guard refused. */
export function writeEnding(ending: Parameters<typeof endTurn>[1], context: WorkerContext): Promise<Wakeup[] | null> {
  return writeCheckpoint(context, { verb: 'endTurn', turnId: ending.turnId }, () =>
    context.db.transaction().execute((trx) => endTurn(trx, ending)),
  );
}

/** What is due on a turn after all, for a run after its own step was done, lost or taken by another. */
export async function dueWakeups(before: Turn, { turnCache }: Pick<WorkerContext, 'turnCache'>): Promise<Wakeup[]> {
  const now = await turnCache.load(before.id);
  if (!now || nextStep(now).kind === 'nothing' || now.work.step === before.work.step) return [];
  return [wakeupOf(now)];
}
