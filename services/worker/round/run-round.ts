import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { ProviderFailed } from '#core/failure.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { sentHistory } from '#core/turn/compaction/sent-history.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { chatSpanId } from '../../process/trace/span-ids.ts';
import type { WorkerContext } from '../context.ts';
import type { Attempt, Run } from '../lease/run.ts';
import { stopRun } from '../lease/stop-run.ts';
import type { Permit } from '../rate-limits.ts';
import { reportFailedAttempt, startAttempt } from '../report/report-attempt.ts';
import type { InFlight } from '../watchers.ts';
import { commitRound } from './commit-round.ts';
import { compactLine, type Earlier, isTooLong, lineOf } from './compact-line.ts';
import { countRequests } from './count-requests.ts';
import { publishRound, type RoundPublisher } from './publish-round.ts';
import { postponeRound, retryRound } from './retry-round.ts';

/** Requests one reply of the model and checkpoints it. A redelivered job finds its checkpoint and moves on. */
export async function runRound(run: Run, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const log = context.log.child({ turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 });
  if (!context.rateLimits.allows(turn.work.model)) return postponeRound(run, { step }, context);
  log.info({ event: 'round.started' }, `round ${step.round} starting`);

  try {
    const earlier = turn.position > 1 ? await loadHistory(context.db, turn.conversationId, turn.position) : [];
    const compacted = await compactLine(run, { step, earlier, because: 'size' }, context);
    return compacted.kind === 'left' ? compacted.wakeups : await askUntilItFits(run, { step, earlier }, context);
  } catch (failure) {
    if (run.signal.aborted) return stopRun(run, context);
    if (failure instanceof ProviderFailed) return retryRound(run, { step, failure }, context);
    throw failure;
  }
}

/** What a round asks with, beside its own turn. */
type Question = { step: RoundStep; earlier: Earlier };

/** Once the provider has refused the history as too long it is compacted, where the turn allows that, and asked once more. */
async function askUntilItFits(run: Run, question: Question, context: WorkerContext): Promise<Wakeup[]> {
  try {
    return await askRound(run, question, context);
  } catch (failure) {
    if (!isTooLong(failure)) throw failure;
    reportFailedAttempt(run, 'context_length_exceeded', context);
    const compacted = await compactLine(run, { ...question, because: 'refused' }, context);
    if (compacted.kind === 'left') return compacted.wakeups;
    if (compacted.kind === 'same') throw failure;
    return await askRound(run, question, context);
  }
}

async function askRound(run: Run, question: Question, context: WorkerContext): Promise<Wakeup[]> {
  using permit = context.rateLimits.acquire(run.turn.work.model);
  const attempt = startAttempt(run, question.step.round);
  const reply = await requestReply(run, { ...question, permit, attempt }, context);
  attempt.repliedAt = Date.now();
  permit.answered();
  return await commitRound(run, { step: question.step, reply, startedAt: attempt.startedAt }, context);
}

async function requestReply(
  run: Run,
  { step, earlier, permit, attempt }: Question & { permit: Permit; attempt: Attempt },
  context: WorkerContext,
): Promise<Reply> {
  const { turn, signal } = run;
  const { watchers, providers, tracer, blobCache } = context;
  const { model } = turn.work;
  const messages = await blobCache.fill(turn.project, transcriptOf(sentHistory(lineOf(run, earlier))));
  const trace = tracer.headersWithin(turn, () => chatSpanId(turn, attempt));
  const request = { ...roundRequest(turn, step, messages), trace };
  if (tracer.withContent) attempt.asked = request;

  const address = { turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 };
  using publisher = publishRound(watchers, address, run);
  using _inFlight = watchers.trackInFlight(turn.id, leasedFor(run, publisher, context));
  const provider = providers.find(splitModel(model).provider);
  const dialect = chooseDialect(turn.config.tool_mode, countRequests(provider, run));
  const reply = await dialect.ask(request, signal, (delta) => {
    permit.answered();
    attempt.firstChunkAt ??= Date.now();
    publisher.take(delta);
  });
  return { ...reply, reasoning: reply.reasoning ?? publisher.reasoning() };
}

/**
 * A run that started without a lease takes it once a client watches the turn: it may tell nothing until then. Where that
 * fails, it takes it with the next heartbeat.
 */
function leasedFor(
  run: Run,
  { catchUp }: RoundPublisher,
  { heartbeat, watchers, availability }: WorkerContext,
): InFlight {
  const take = () => void heartbeat.take(run).catch((error: unknown) => availability.suspect(error));
  if (watchers.isWatched(run.turn.id)) take();
  return {
    catchUp: () => {
      catchUp();
      take();
    },
  };
}
