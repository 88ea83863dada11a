import { endTurn } from '#core/checkpoint/turns/end.ts';
import { type Postponement, postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { refusalOf } from '#core/postgres/refusal.ts';
import { nextStep } from '#core/turn/next-step.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { reportTurnEnd } from '../../process/report-turn-end.ts';
import type { WorkerContext } from '../context.ts';
import { failedTry, reportFailedAttempt } from '../report/report-attempt.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import type { Run, StopReason } from './run.ts';

/** Leaves a step that was stopped, according to the reason of the stop. For `called` see `handBack`. */
export async function stopRun(run: Run, context: WorkerContext, called: number[] = []): Promise<Wakeup[]> {
  const { turn, lease, requests } = run;
  const reason: StopReason = lease.signal.reason;
  if (reason !== 'lost') reportFailedAttempt(run, reason, context);
  switch (reason) {
    case 'cancelled':
    case 'lost':
      return dueWakeups(run, context);
    case 'deadline':
      return endAtDeadline(turn, context, requests);
    case 'shutdown':
      return handBack(run, context, called);
  }
}

/**
 * Gives a step back, due at once, for another run. `called` has the indexes of the calls that this run has made and
 * that may not be made twice: their claims outlive the run.
 */
export async function handBack(run: Run, context: WorkerContext, called: number[] = []): Promise<Wakeup[]> {
  // A response that the round still waits for is not a failed request.
  const requests = run.responses?.awaited() ? 0 : run.requests;
  const back = { called, delayMs: 0, rateLimited: false, requests, failed: failedTry(run, context) };
  return (await postpone(run, back, context)) ?? dueWakeups(run, context);
}

/** The columns of a postponement by a run. Only `delayMs` and `rateLimited` are required. */
type Later = Partial<Postponement> & Pick<Postponement, 'delayMs' | 'rateLimited'>;

/**
 * Postpones the step of a run, without a try, a wait or an event unless `later` has them. Returns null if a guard
 * refuses.
 */
export function postpone(run: Run, later: Later, context: WorkerContext): Promise<Wakeup[] | null> {
  const nothingElse = { called: [], attempt: false, waitedMs: 0, eventData: null };
  return writeCheckpoint(context, { verb: 'postponeStep', turnId: run.turn.id }, () =>
    postponeStep(context.db, { ...nothingElse, ...tryOf(run), ...later }),
  );
}

/** Returns the columns of a write by a run that hands its step back. */
export function tryOf({ lease, turn, requests, published }: Run) {
  const { id: runId, step, generation, draft } = lease;
  return { turnId: turn.id, step, generation, runId, requests, draft, published };
}

/**
 * Ends a turn at its deadline, even while a worker runs the turn. Like a cancel, the end has no summary. It aborts
 * `failedRequests` requests to the model.
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

/** Ends a turn as failed. Only a run that still has its step may do so (R5). */
export async function failTurn(run: Run, error: TurnError, context: WorkerContext): Promise<Wakeup[]> {
  const { turn, requests } = run;
  const { id, step, generation } = run.lease;
  const ending = {
    turnId: turn.id,
    conversationId: turn.conversationId,
    status: 'failed' as const,
    error,
    run: { id, generation },
    failedRequests: requests,
    step,
  };
  const wakeups = await writeEnding(ending, context);
  if (!wakeups) return dueWakeups(run, context);

  reportFailedAttempt(run, error.code, context);
  reportTurnEnd(turn, { status: 'failed', errorCode: error.code }, context);
  const about = { event: 'turn.ended', turn_id: turn.id, status: 'failed', step, code: error.code };
  context.log.warn(about, `turn failed: ${error.code}`);
  context.watchers.publishChange(turn.id, wakeups);
  return wakeups;
}

/** Makes the last writes of a run. If PostgreSQL refuses the values of its step, the turn ends. */
export async function endIfUnwritable(
  run: Run,
  write: () => Promise<Wakeup[]>,
  context: WorkerContext,
): Promise<Wakeup[]> {
  try {
    return await write();
  } catch (error) {
    if (refusalOf(error)?.kind !== 'data') throw error;
    return failTurn(run, unwritable(error), context);
  }
}

/**
 * Returns the error of a step if PostgreSQL refuses its values. Another run would cost as much and would be refused
 * too.
 */
function unwritable(error: unknown): TurnError {
  const message =
    `PostgreSQL refused to store the result of this step (${refusalOf(error)?.code}), so the turn ended. ` +
    'Report this error with the worker log.';
  return { type: 'internal_error', code: 'internal', message, retryable: true };
}

/** Writes the end of a turn. Returns null if a guard refused the write. */
export function writeEnding(ending: Parameters<typeof endTurn>[1], context: WorkerContext): Promise<Wakeup[] | null> {
  return writeCheckpoint(context, { verb: 'endTurn', turnId: ending.turnId }, () =>
    context.db.transaction().execute((trx) => endTurn(trx, ending)),
  );
}

/**
 * Returns the due wakeups of a turn after the step of a run was done, lost or taken by another run. If the run has
 * lost the answer to its own commit, the worker continues with the decision of the commit (R3).
 */
export async function dueWakeups(
  { turn, nextRun }: Pick<Run, 'turn' | 'nextRun'>,
  { turnCache }: Pick<WorkerContext, 'turnCache'>,
): Promise<Wakeup[]> {
  const now = await turnCache.load(turn.id);
  if (!now || nextStep(now).kind === 'nothing' || now.work.step === turn.work.step) return [];
  const isLeasedToNext = now.work.leased && now.work.leaseOwner === nextRun;
  return [{ ...wakeupOf(now), ...(isLeasedToNext && { nextRun }) }];
}
