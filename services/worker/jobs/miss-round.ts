import { persist } from '#core/checkpoint/persist.ts';
import { postponeStep } from '#core/checkpoint/postpone-step.ts';
import { ProviderFailed } from '#core/failure.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { askedMs, nextTry } from '#core/turn/next-try.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../run.ts';
import { failTurn } from './fail-turn.ts';
import type { RoundStep } from './run-round.ts';
import { whatIsOwed } from './what-is-owed.ts';

/**
 * Postpones a round whose model may not be asked now, with its hold or without one. A round that was put off until the limit
 * is over is left to its next ring.
 */
export async function stayAway(run: Run, step: RoundStep, context: WorkerContext): Promise<Ring[]> {
  const { config, work } = run.turn;
  if (work.rateLimited && work.early) return [];
  return missRound(run, { step, failure: new RateLimited(config.model) }, context);
}

/** A round that brought no reply: asked again later, or the end of the turn (design: retries). */
export async function missRound(
  run: Run,
  { step, failure }: { step: RoundStep; failure: ProviderFailed },
  context: WorkerContext,
): Promise<Ring[]> {
  const { turn } = run;
  const pauseMs = failure.retry.kind === 'parked' ? pauseOf(turn, failure, context) : 0;
  const countedMs = failure instanceof RateLimited && !context.limits.isStuck(turn.config.model) ? 0 : pauseMs;
  const next = nextTry(failure.retry, turn.work, { pauseMs, countedMs });
  if (next.kind === 'fail') return failTurn(run, errorOf(failure), context);

  const { delayMs, counts } = next;
  const told = isNews(turn, failure)
    ? { phase: 'llm_round', round: step.round, error: errorOf(failure), retry_in_ms: delayMs }
    : null;
  const at = { turnId: turn.id, step: run.step, ring: turn.work.ring, runId: run.id, called: [] };
  const limited = { rateLimited: failure.retry.kind === 'parked', parkedMs: countedMs };
  const later = { ...at, delayMs, attempt: counts, ...limited, requests: run.requests, told };
  const ring = await persist(() => postponeStep(context.db, later));
  if (!ring) return whatIsOwed(turn, context);

  const { provider } = splitModel(turn.config.model);
  const about = { turn_id: turn.id, round: step.round, provider, code: failure.code };
  context.log[told ? 'warn' : 'debug'](
    about,
    `round ${step.round} again in ${delayMs} ms: ${provider} failed with ${failure.code}`,
  );
  context.audience.goesOn(turn.id);
  return [ring];
}

/** A model that was not asked, since it is rate-limited. */
class RateLimited extends ProviderFailed {
  constructor(model: string) {
    const message = `${model} is rate-limited and was not asked. A turn fails that has waited ten minutes for a limit which does not end; retry it then.`;
    super('provider_rate_limited', message, { retry: { kind: 'parked' } });
  }
}

/** How long the turn stays away from its model: all do after a 429, which a model that was not asked has not given. */
function pauseOf({ config: { model }, work }: Turn, failure: ProviderFailed, { limits }: WorkerContext): number {
  if (failure instanceof RateLimited) return limits.bookReturn(model);
  limits.refused(model, askedMs(failure.retry));
  return limits.bookReturn(model, work.rateLimited ? 'again' : undefined);
}

/** A turn tells once that it waits for a limit, and nothing before it has begun. */
function isNews({ status, work }: Turn, failure: ProviderFailed): boolean {
  return !(failure instanceof RateLimited) || (status === 'in_progress' && !work.rateLimited);
}

function errorOf({ code, message, retry, provider }: ProviderFailed): TurnError {
  return { type: typeOf(code), code, message, retryable: retry.kind !== 'never', provider };
}

function typeOf(code: string): TurnError['type'] {
  if (code === 'tool_choice_violated') return 'tool_choice_error';
  return code === 'internal' ? 'internal_error' : 'provider_error';
}
