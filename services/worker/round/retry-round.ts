import { changeModel } from '#core/checkpoint/change-model.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { ProviderFailed } from '#core/failure.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { decideRetry, fallbackFor, requestedPauseMs } from '#core/turn/retry.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups, failTurn } from '../lease/stop-run.ts';
import { failedTry, reportFailedAttempt } from '../report/report-attempt.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';

/**
 * Postpones a round with a rate-limited model, under a lease or without one. A round that was postponed until the end of the
 * limit is left to its next wakeup.
 */
export async function postponeRound(
  run: Run,
  { step, model = run.turn.work.model }: Pick<Unanswered, 'step' | 'model'>,
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { work } = run.turn;
  if (work.rateLimited && work.early) return [];
  return retryRound(run, { step, model, failure: new RateLimited(model) }, context);
}

/**
 * A round that failed, and the model that did where that is another than the turn's: it was asked for a summary. `triedBefore` of
 * the step's tries were another model's.
 */
type Unanswered = { step: RoundStep; failure: ProviderFailed; model?: string; triedBefore?: number };

/** A round without a reply: tried again later, handed to the next model, or the end of the turn (design: retries). */
export async function retryRound(run: Run, unanswered: Unanswered, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const { failure, model = turn.work.model, triedBefore = 0 } = unanswered;
  const pauseMs = failure.retry.kind === 'rate-limited' ? pauseOf(turn, { failure, model }, context) : 0;
  const countedMs = failure instanceof RateLimited && !context.rateLimits.isStuck(model) ? 0 : pauseMs;
  const spent = { ...turn.work, attempts: turn.work.attempts - triedBefore };
  const next = decideRetry(failure.retry, spent, { pauseMs, countedMs });
  const known = { failure, isOver: next.kind === 'fail', waitMs: pauseMs };
  const mayLeave = model === turn.work.model && isBegun(run);
  const to = mayLeave ? fallbackFor(turn, known, context.fallbackAfterMs) : null;
  if (to) return leaveModel(run, { ...unanswered, to }, context);
  if (next.kind === 'fail') return failTurn(run, errorOf(failure), context);

  const { delayMs, counts } = next;
  return postpone(run, { ...unanswered, delayMs, counts, waitedMs: countedMs }, context);
}

type Postponed = Unanswered & { delayMs: number; counts: boolean; waitedMs: number };

async function postpone(
  run: Run,
  { step, failure, model = run.turn.work.model, delayMs, counts, waitedMs }: Postponed,
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const eventData = isReported(turn, failure)
    ? { phase: 'llm_round', round: step.round, error: errorOf(failure), retry_in_ms: delayMs }
    : null;
  const limited = { rateLimited: failure.retry.kind === 'rate-limited', waitedMs };
  const later = {
    ...tryOf(run),
    failed: failedTry(run, context),
    called: [],
    delayMs,
    attempt: counts,
    ...limited,
    eventData,
  };
  const write = { verb: 'postponeStep', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => postponeStep(context.db, later));
  if (!wakeups) return dueWakeups(turn, context);

  reportFailedAttempt(run, failure.code, context);
  const { provider } = splitModel(model);
  const about = { event: 'round.retrying', turn_id: turn.id, round: step.round, provider, code: failure.code };
  context.log[eventData ? 'warn' : 'debug'](
    about,
    `round ${step.round} again in ${delayMs} ms: ${provider} failed with ${failure.code}`,
  );
  context.watchers.publishContinued(turn.id);
  return wakeups;
}

/** Hands the round to the next model of its turn: committed before that is asked, in a job of its own (R24). */
async function leaveModel(
  run: Run,
  { step, failure, to }: Unanswered & { to: string },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const from = turn.work.model;
  const change = {
    ...tryOf(run),
    round: step.round,
    from,
    to,
    error: errorOf(failure),
    failed: failedTry(run, context),
  };
  const write = { verb: 'changeModel', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => changeModel(context.db, change));
  if (!wakeups) return dueWakeups(turn, context);

  reportFailedAttempt(run, failure.code, context);
  const about = { event: 'model.changed', turn_id: turn.id, round: step.round, from, to, code: failure.code };
  context.log.warn(about, `round ${step.round} goes to ${to}: ${from} failed with ${failure.code}`);
  context.watchers.publishContinued(turn.id);
  return wakeups;
}

/** What a write says of the run that gives its step back. */
function tryOf({ id, turn, step, requests, edition, told }: Run) {
  return { turnId: turn.id, step, generation: turn.work.generation, runId: id, requests, edition, told };
}

/** Whether a worker has begun the turn: one that still waits for its first model stays with it. */
function isBegun({ turn, edition }: Run): boolean {
  return turn.status !== 'queued' || edition !== null;
}

/** No request was made, since the model is rate-limited. */
class RateLimited extends ProviderFailed {
  constructor(model: string) {
    const message = `${model} is rate-limited and was not asked. A turn fails that has waited ten minutes for a limit which does not end; retry it then.`;
    super('provider_rate_limited', message, { retry: { kind: 'rate-limited' } });
  }
}

/** How long the turn stays away from its model. After a 429 all turns do; a round without a request has met none. */
function pauseOf(
  { work }: Turn,
  { failure, model }: { failure: ProviderFailed; model: string },
  { rateLimits }: WorkerContext,
): number {
  if (failure instanceof RateLimited) return rateLimits.bookReturn(model);
  rateLimits.refused(model, requestedPauseMs(failure.retry));
  return rateLimits.bookReturn(model, work.rateLimited ? 'again' : undefined);
}

/** A turn reports once that it waits for a limit, and nothing before it has begun. */
function isReported({ status, work }: Turn, failure: ProviderFailed): boolean {
  return !(failure instanceof RateLimited) || (status === 'in_progress' && !work.rateLimited);
}

function errorOf({ code, message, retry, provider }: ProviderFailed): TurnError {
  return { type: typeOf(code), code, message, retryable: retry.kind !== 'never', provider };
}

function typeOf(code: string): TurnError['type'] {
  if (code === 'tool_choice_violated') return 'tool_choice_error';
  return code === 'internal' ? 'internal_error' : 'provider_error';
}
