import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { ProviderFailed } from '#core/failure.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { decideRetry, requestedPauseMs } from '#core/turn/retry.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups, failTurn } from '../lease/stop-run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';

/**
 * Postpones a round with a rate-limited model, under a lease or without one. A round that was postponed until the end of the
 * limit is left to its next wakeup.
 */
export async function postponeRound(
  run: Run,
  { step, model = run.turn.config.model }: Pick<Failing, 'step' | 'model'>,
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { work } = run.turn;
  if (work.rateLimited && work.early) return [];
  return retryRound(run, { step, model, failure: new RateLimited(model) }, context);
}

/** A round that failed, and the model that did: its own where none is named. */
type Failing = { step: RoundStep; failure: ProviderFailed; model?: string };

/** A round without a reply: tried again later, or the end of the turn (design: retries). */
export async function retryRound(
  run: Run,
  { step, failure, model = run.turn.config.model }: Failing,
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn } = run;
  const pauseMs = failure.retry.kind === 'rate-limited' ? pauseOf(turn, { failure, model }, context) : 0;
  const countedMs = failure instanceof RateLimited && !context.rateLimits.isStuck(model) ? 0 : pauseMs;
  const next = decideRetry(failure.retry, turn.work, { pauseMs, countedMs });
  if (next.kind === 'fail') return failTurn(run, errorOf(failure), context);

  const { delayMs, counts } = next;
  const eventData = isReported(turn, failure)
    ? { phase: 'llm_round', round: step.round, error: errorOf(failure), retry_in_ms: delayMs }
    : null;
  const at = {
    turnId: turn.id,
    step: run.step,
    generation: turn.work.generation,
    runId: run.id,
    called: [],
    edition: run.edition,
    told: run.told,
  };
  const limited = { rateLimited: failure.retry.kind === 'rate-limited', waitedMs: countedMs };
  const later = { ...at, delayMs, attempt: counts, ...limited, requests: run.requests, eventData };
  const write = { verb: 'postponeStep', turnId: turn.id };
  const wakeup = await writeCheckpoint(context, write, () => postponeStep(context.db, later));
  if (!wakeup) return dueWakeups(turn, context);

  const { provider } = splitModel(model);
  const about = { event: 'round.retrying', turn_id: turn.id, round: step.round, provider, code: failure.code };
  context.log[eventData ? 'warn' : 'debug'](
    about,
    `round ${step.round} again in ${delayMs} ms: ${provider} failed with ${failure.code}`,
  );
  context.watchers.publishContinued(turn.id);
  return [wakeup];
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
  { failure, model }: Required<Pick<Failing, 'failure' | 'model'>>,
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
