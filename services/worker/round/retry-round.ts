import { changeModel } from '#core/checkpoint/turns/change-model.ts';
import { ProviderFailed } from '#core/failure.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { decideRetry, fallbackFor, maxAttemptsOf, nextModel, requestedPauseMs } from '#core/turn/retry.ts';
import { changeAfterResult } from '#core/turn/tiers/change-after-result.ts';
import { askedTier, decideCapacity, lateInMs, type TierChange } from '#core/turn/tiers/change-tier.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups, failTurn, postpone, tryOf } from '../lease/stop-run.ts';
import { RateLimited, rateLimitOf } from '../rate-limits.ts';
import { failedTry, reportFailedAttempt } from '../report/report-attempt.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import type { Failed } from './ask-model.ts';
import { asAttempt, isResult } from './batched/as-attempt.ts';
import type { NoRoom } from './take-room.ts';

/** Postpones a round with a rate-limited model, with or without a lease. */
export function postponeRound(run: Run, { step }: { step: RoundStep }, context: WorkerContext): Promise<Wakeup[]> {
  return retryRound(run, { step, failure: new RateLimited(rateLimitOf(run.turn)) }, context);
}

/** A round that failed because of its provider. */
type Unanswered = Pick<Failed, 'model' | 'triedBefore'> & { step: RoundStep; failure: ProviderFailed };

/**
 * Tries a round without a reply again later, hands it to the next model, or ends the turn. A round that was postponed
 * until the end of a limit is left to its next wakeup.
 */
export async function retryRound(run: Run, unanswered: Unanswered, context: WorkerContext): Promise<Wakeup[]> {
  if (!isResult(run)) return retryAsked(run, unanswered, context);
  const { failure, step } = unanswered;
  const because = changeAfterResult(run.turn, failure);
  // A batch that was refused for the longest time has asked nothing, so it is no attempt.
  if (because) return leaveTier(run, { step, because, attempt: because !== 'waited' }, context);
  return retryAsked(run, { ...unanswered, failure: asAttempt(failure) }, context);
}

async function retryAsked(run: Run, unanswered: Unanswered, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const { failure, model = turn.work.model, triedBefore = 0 } = unanswered;
  const limit = unanswered.model ?? rateLimitOf(turn);
  if (failure instanceof RateLimited && turn.work.rateLimited && turn.work.early) return [];
  if (waitsForCapacity(turn, unanswered)) return retryWithCapacity(run, unanswered, context);
  const pauseMs = failure.retry.kind === 'rate-limited' ? pauseOf(turn, { failure, limit }, context) : 0;
  const isStuck = context.rateLimits.isStuck(limit);
  const countedMs = failure instanceof RateLimited && !isStuck ? 0 : pauseMs;
  const spent = { ...turn.work, attempts: turn.work.attempts - triedBefore };
  const next = decideRetry(failure.retry, spent, { pauseMs, countedMs, maxAttempts: maxAttemptsOf(turn.config) });
  const known = { failure, isOver: next.kind === 'fail', waitMs: pauseMs };
  const to = mayLeave(run, model) ? fallbackFor(turn, known, context.fallbackAfterMs) : null;
  if (to) return leaveModel(run, { ...unanswered, to }, context);
  if (next.kind === 'fail') return failTurn(run, errorOf(failure), context);

  const { delayMs, counts } = next;
  return tryAgain(run, { ...unanswered, delayMs, counts, waitedMs: countedMs }, context);
}

/** Returns whether the provider refused a round on `flex` for lack of capacity. Only this round waits for that. */
function waitsForCapacity(turn: Turn, { failure, model }: Unanswered): boolean {
  const { retry } = failure;
  const isRound = model === undefined;
  return isRound && retry.kind === 'rate-limited' && retry.lacksCapacity === true && askedTier(turn) === 'flex';
}

/** Waits for capacity, changes the tier, or leaves the model, which counts as overloaded. */
async function retryWithCapacity(run: Run, unanswered: Unanswered, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const { failure, step } = unanswered;
  const requestedMs = failure.retry.kind === 'never' ? 0 : (failure.retry.afterMs ?? 0);
  const next = decideCapacity(turnNow(run), { mostMs: context.flexWaitMs, requestedMs });
  if (next.kind === 'change') return leaveTier(run, { step, because: next.because }, context);
  if (next.kind === 'again') {
    const { delayMs } = next;
    return tryAgain(run, { ...unanswered, delayMs, counts: false, waitedMs: 0, lacksCapacity: true }, context);
  }
  const overloaded = new NoCapacity(turn.work.model, failure);
  const to = isBegun(run) ? nextModel(turn) : null;
  return to
    ? leaveModel(run, { ...unanswered, failure: overloaded, to }, context)
    : failTurn(run, errorOf(overloaded), context);
}

/** Returns whether a round may go to the next model: a model for summaries is not a model of the turn. */
function mayLeave(run: Run, model: string): boolean {
  return model === run.turn.work.model && isBegun(run);
}

type Postponed = Unanswered & { delayMs: number; counts: boolean; waitedMs: number; lacksCapacity?: boolean };

async function tryAgain(
  run: Run,
  { step, failure, model = run.turn.work.model, ...postponed }: Postponed,
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const { counts, waitedMs, lacksCapacity = isResult(run) } = postponed;
  const delayMs = untilLate(run, postponed.delayMs);
  const eventData = isReported(turn, failure)
    ? { phase: 'llm_round', round: step.round, error: errorOf(failure), retry_in_ms: delayMs }
    : null;
  const rateLimited = failure.retry.kind === 'rate-limited';
  const failed = failedTry(run, context);
  const dropped = failure instanceof RateLimited ? undefined : run.responses?.awaited()?.responses;
  // A response that is asked for again counts, also after a rate limit.
  const attempt = counts || dropped !== undefined;
  const later = { delayMs, attempt, rateLimited, waitedMs, lacksCapacity, eventData, failed, dropped };
  const wakeups = await postpone(run, later, context);
  if (!wakeups) return dueWakeups(run, context);

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

/**
 * Postpones a round without capacity under a limit of its provider. The worker has not asked the model, and counts no
 * attempt.
 */
export async function waitForRoom(
  run: Run,
  { step, delayMs, waiter }: Omit<NoRoom, 'kind'> & { step: RoundStep },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const later = { delayMs: untilLate(run, delayMs), rateLimited: true, waiter };
  const wakeups = await postpone(run, later, context);
  if (!wakeups) return dueWakeups(run, context);

  const about = { event: 'round.limited', turn_id: turn.id, round: step.round };
  context.log.debug(about, `round ${step.round} waits for capacity under a limit of its provider`);
  context.watchers.publishContinued(turn.id);
  return wakeups;
}

/**
 * Changes the round to its fallback tier, committed before the request (R24). A redelivered job finds the tier in the
 * row of the turn.
 */
export async function leaveTier(
  run: Run,
  { step, because, attempt = false }: { step: RoundStep; because: TierChange; attempt?: boolean },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const [from, to] = [askedTier(turn), 'default'] as const;
  const change = {
    tier: to,
    attempt,
    lacksCapacity: because !== 'deadline',
    eventData: { round: step.round, from, to, because },
  };
  const dropped = run.responses?.awaited()?.responses;
  const later = { delayMs: 0, rateLimited: false, failed: failedTry(run, context), dropped, ...change };
  const wakeups = await postpone(run, later, context);
  if (!wakeups) return dueWakeups(run, context);

  reportFailedAttempt(run, 'provider_rate_limited', context);
  const about = { event: 'tier.changed', turn_id: turn.id, round: step.round, from, to, because };
  context.log.warn(about, `round ${step.round} changes from tier ${from} to ${to}: ${because}`);
  context.watchers.publishContinued(turn.id);
  return wakeups;
}

/** Hands the round to the next model of its turn, committed before the request, in its own job (R24). */
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
  if (!wakeups) return dueWakeups(run, context);

  reportFailedAttempt(run, failure.code, context);
  const about = { event: 'model.changed', turn_id: turn.id, round: step.round, from, to, code: failure.code };
  context.log.warn(about, `round ${step.round} changes to ${to}: ${from} failed with ${failure.code}`);
  context.watchers.publishContinued(turn.id);
  return wakeups;
}

/** Returns whether a worker has begun the turn. A turn that waits for its first model keeps that model. */
function isBegun({ turn, lease }: Run): boolean {
  return turn.status !== 'queued' || lease.draft !== null;
}

/** Returns the turn of a run, with the time until its deadline as of now: a request may have taken long. */
function turnNow({ turn, lease }: Run): Turn {
  const { deadlineInMs, tierWait } = turn.work;
  const ageMs = lease.ageMs();
  const work = {
    ...turn.work,
    deadlineInMs: deadlineInMs === null ? null : deadlineInMs - ageMs,
    tierWait: tierWait && { ...tierWait, waitedMs: tierWait.waitedMs + ageMs },
  };
  return { ...turn, work };
}

/** Shortens a delay, so that a worker checks a round on `flex` in time to leave its tier. */
function untilLate(run: Run, delayMs: number): number {
  return Math.min(delayMs, Math.max(1, Math.ceil(lateInMs(turnNow(run)))));
}

/** The provider had no capacity for a round within the maximum wait. */
class NoCapacity extends ProviderFailed {
  constructor(model: string, { provider }: ProviderFailed) {
    const message = `${model} had no capacity on flex within the maximum wait. Retry the turn later, set tier_fallback, or leave service_tier out.`;
    super('provider_overloaded', message, { retry: { kind: 'later' }, provider });
  }
}

/**
 * Returns the time until the turn asks its model again. After a 429 all turns wait. A round without a request has
 * received no 429.
 */
function pauseOf(
  { work }: Turn,
  { failure, limit }: { failure: ProviderFailed; limit: string },
  { rateLimits }: WorkerContext,
): number {
  if (failure instanceof RateLimited) return rateLimits.bookReturn(limit);
  rateLimits.refused(limit, requestedPauseMs(failure.retry));
  return rateLimits.bookReturn(limit, work.rateLimited ? 'again' : undefined);
}

/** A turn reports once that it waits for a limit, and reports no event before it has begun. */
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
