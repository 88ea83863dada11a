import { persist } from '#core/checkpoint/persist.ts';
import { postponeStep } from '#core/checkpoint/postpone-step.ts';
import type { ProviderFailed } from '#core/failure.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { nextTry } from '#core/turn/next-try.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { TurnError } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../run.ts';
import { failTurn } from './fail-turn.ts';
import { ProviderParked } from './provider-parked.ts';
import type { RoundStep } from './run-round.ts';
import { whatIsOwed } from './what-is-owed.ts';

/** A round that brought no reply: asked again later, or the end of the turn (design: retries). */
export async function missRound(
  run: Run,
  { step, failure }: { step: RoundStep; failure: ProviderFailed },
  context: WorkerContext,
): Promise<Ring[]> {
  const { turn } = run;
  const pauseMs = pauseOf(run, failure, context);
  const next = nextTry(failure.retry, turn.work, { pauseMs });
  if (next.kind === 'fail') return failTurn(run, errorOf(failure), context);

  const { delayMs, counts } = next;
  const told = { phase: 'llm_round', round: step.round, error: errorOf(failure), retry_in_ms: delayMs };
  const at = { turnId: turn.id, step: run.step, ring: turn.work.ring, runId: run.id, called: [] };
  const later = { ...at, delayMs, attempt: counts, parkedMs: pauseMs, requests: run.requests, told };
  const ring = await persist(() => postponeStep(context.db, later));
  if (!ring) return whatIsOwed(turn, context);

  const { provider } = splitModel(turn.config.model);
  context.log.warn(
    { turn_id: turn.id, round: step.round, provider, code: failure.code },
    `round ${step.round} again in ${delayMs} ms: ${provider} failed with ${failure.code}`,
  );
  context.audience.goesOn(turn.id);
  return [ring];
}

function pauseOf(run: Run, failure: ProviderFailed, context: WorkerContext): number {
  if (failure instanceof ProviderParked) return failure.pauseMs;
  return failure.retry.kind === 'parked' ? park(run, failure.retry.afterMs, context) : 0;
}

/** A 429: everybody leaves the provider alone for a while. */
function park({ turn }: Run, askedMs: number | undefined, { parking, live }: WorkerContext): number {
  const { provider } = splitModel(turn.config.model);
  const forMs = parking.park(provider, askedMs);
  live.tellWorkers({ kind: 'parked', provider, forMs });
  return forMs;
}

function errorOf({ code, message, retry, provider }: ProviderFailed): TurnError {
  return { type: typeOf(code), code, message, retryable: retry.kind !== 'never', provider };
}

function typeOf(code: string): TurnError['type'] {
  if (code === 'tool_choice_violated') return 'tool_choice_error';
  return code === 'internal' ? 'internal_error' : 'provider_error';
}
