import { removeResponse, settleResponse } from '#core/checkpoint/background/settle-response.ts';
import { type ClosedResponse, takeResponses } from '#core/checkpoint/background/take-responses.ts';
import type { KeptResponses, ResponseState } from '#core/llm/provider.ts';
import type { WorkerContext } from '../context.ts';
import { pricedUsage } from '../round/priced-usage.ts';

const AT_ONCE = 50;

/** The maximum time of the requests about one response. */
const LONGEST_MS = 20_000;

/** After a day Pawl stops trying. */
const GIVE_UP_MS = 86_400_000;

/**
 * Cancels, counts and deletes responses that no round waits for, batch by batch (R41). A response that its provider
 * does not delete is tried again for a day.
 */
export async function closeResponses(context: WorkerContext, stopping?: AbortSignal): Promise<void> {
  let taken = AT_ONCE;
  while (taken >= AT_ONCE && !stopping?.aborted) {
    const closed = await takeResponses(context.db, AT_ONCE);
    taken = closed.length;
    await Promise.all(closed.map((response) => closeResponse(response, { ...context, stopping })));
  }
}

type Closing = WorkerContext & { stopping: AbortSignal | undefined };

async function closeResponse(response: ClosedResponse, context: Closing): Promise<void> {
  const { db, log, providers, stopping } = context;
  if (response.closedMs > GIVE_UP_MS) {
    const about = { event: 'response.left', turn_id: response.turnId, provider: response.provider };
    log.warn(about, `${response.provider} did not delete a response within a day, so it stays there`);
    return await removeResponse(db, response);
  }
  const kept = providers.responsesOf(response.provider);
  if (!kept) return;
  const signal = AbortSignal.any([AbortSignal.timeout(LONGEST_MS), ...(stopping ? [stopping] : [])]);
  try {
    if (!response.isCounted && !(await countLate(response, { kept, signal }, context))) return;
    if (!(await kept.remove(response.id, signal))) return;
    await removeResponse(db, response);
    const about = { event: 'response.deleted', turn_id: response.turnId, provider: response.provider };
    log.debug(about, `a response is deleted at ${response.provider}`);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type At = { kept: KeptResponses; signal: AbortSignal };

/** Counts the usage of an unused response once it has ended. Returns false while it has not. */
async function countLate(response: ClosedResponse, at: At, context: WorkerContext): Promise<boolean> {
  const { project, model, turnId, isToCancel, provider } = response;
  const state = await stateOf(response, at);
  const wasRunning = state.kind === 'running' || (state.kind === 'ended' && !state.isReply);
  if (isToCancel && wasRunning)
    context.log.info(
      { event: 'response.cancelled', turn_id: turnId, provider },
      `a response is cancelled at ${provider}`,
    );
  if (state.kind !== 'ended' && state.kind !== 'lost') return false;
  const usage = state.kind === 'ended' ? pricedUsage({ serviceTier: null, ...state }, model, context) : null;
  const isCounted = await settleResponse(context.db, response, usage);
  if (isCounted) context.metrics.tokensUsed(project, model, usage);
  return true;
}

/**
 * Returns the state of an unused response. The first look cancels it. A later look cancels it only if it still runs,
 * since the worker of the first look may have died before the request.
 */
async function stateOf({ id, isToCancel }: ClosedResponse, { kept, signal }: At): Promise<ResponseState> {
  const first = isToCancel ? await kept.cancel(id, signal) : await kept.read(id, signal);
  if (isToCancel) return first.kind === 'away' || first.kind === 'refused' ? await kept.read(id, signal) : first;
  return first.kind === 'running' ? await kept.cancel(id, signal) : first;
}
