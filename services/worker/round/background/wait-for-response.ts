import { markClosed } from '#core/checkpoint/background/settle-response.ts';
import { nameFailure } from '#core/llm/errors/name-failure.ts';
import { StillRunning } from '#core/llm/interrupted.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { RunningResponse } from '#core/turn/background/background.ts';
import { decidePoll } from '#core/turn/background/decide-poll.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';
import { dueWakeups, handBack, postpone } from '../../lease/stop-run.ts';
import { waitForBatch } from '../batched/enter.ts';
import { retryRound } from '../retry-round.ts';

const UNKNOWN: RunningResponse = { isQueued: false, pollAfterMs: null };

/**
 * Reads the response of a round that polls, before the history is loaded. Throws `StillRunning` if the response has
 * not ended.
 */
export async function pollResponse({ responses, lease }: Run): Promise<void> {
  const awaited = responses?.awaited();
  const id = awaited?.responses.at(-1);
  if (!responses?.kept || !awaited || !id || awaited.polls === 0) return;
  const state = await responses.kept.read(id, lease.signal);
  if (state.kind === 'running') throw new StillRunning(state);
  if (state.kind === 'away') throw new StillRunning(UNKNOWN);
}

/** Postpones a round until its next poll, without a slot. A response that takes too long is asked for again. */
export async function waitForResponse(
  run: Run,
  { step, response }: { step: RoundStep; response: RunningResponse },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const awaited = run.responses?.awaited() ?? { polls: 0, ageMs: 0, isBatch: false };
  if (awaited.isBatch) return await waitForBatch(run, context);
  const { backgroundTimes: times } = context;
  const decision = decidePoll(awaited, response, times);
  if (decision.kind === 'ask-again') return await askAgain(run, { step, because: decision.because }, context);
  const { delayMs } = decision;
  const wakeups = await postpone(run, { delayMs, rateLimited: true, requests: 0, polls: awaited.polls + 1 }, context);
  if (!wakeups) return dueWakeups(run, context);

  const about = { event: 'response.polled', turn_id: run.turn.id, round: step.round, retry_in_ms: delayMs };
  context.log.debug(about, `round ${step.round} waits for the response of its provider`);
  context.watchers.publishContinued(run.turn.id);
  return wakeups;
}

const CANCEL_TIMEOUT_MS = 10_000;

/**
 * Cancels a response that takes too long. If it has ended in the meantime, the next run reads it (R40). Otherwise the
 * attempt has failed.
 */
async function askAgain(
  run: Run,
  { step, because }: { step: RoundStep; because: string },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { responses, turn } = run;
  const { provider } = splitModel(turn.work.model);
  const id = responses?.awaited()?.responses.at(-1);
  if (responses?.kept && id) {
    await markClosed(context.db, { provider, id });
    const signal = AbortSignal.any([run.lease.signal, AbortSignal.timeout(CANCEL_TIMEOUT_MS)]);
    const state = await responses.kept.cancel(id, signal).catch(() => null);
    if (state?.kind === 'ended' && state.isReply) return await handBack(run, context);
    const about = { event: 'response.cancelled', turn_id: turn.id, provider };
    context.log.info(about, `a response is cancelled at ${provider}: ${because}`);
  }
  const failure = nameFailure('provider_timeout', { provider, reason: because });
  return await retryRound(run, { step, failure }, context);
}
