import { ProviderFailed } from '#core/failure.ts';
import { withKnownTtl } from '#core/llm/caching.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import { sentHistory } from '#core/turn/compaction/sent-history.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { type Message, sizeOfMessages } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import { isLate, lateInMs } from '#core/turn/tiers/change-tier.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { chatSpanId } from '../../process/trace/span-ids.ts';
import type { WorkerContext } from '../context.ts';
import type { Attempt, Run } from '../lease/run.ts';
import { handBack, stopRun } from '../lease/stop-run.ts';
import { HistoryTooLarge, MemoryBusy } from '../memory/memory.ts';
import type { Permit } from '../rate-limits.ts';
import { noteRequest, reportFailedAttempt, startAttempt } from '../report/report-attempt.ts';
import type { InFlight } from '../watchers.ts';
import { commitRound } from './commit-round.ts';
import { compactLine, type Earlier, isTooLong, lineOf } from './compact-line.ts';
import { countRequests } from './count-requests.ts';
import { noteExhausted } from './note-exhausted.ts';
import { openHistory } from './open-history.ts';
import { publishRound, type RoundPublisher } from './publish-round.ts';
import { rateLimitOf } from './rate-limit-of.ts';
import { leaveTier, postponeRound, retryRound } from './retry-round.ts';
import { takeRoom } from './take-room.ts';

/** Requests one reply of the model and checkpoints it. A redelivered job finds its checkpoint and moves on. */
export async function runRound(run: Run, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const log = context.log.child({ turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 });
  if (isLate(turn)) return leaveTier(run, { step, because: 'deadline' }, context);
  if (!context.rateLimits.allows(rateLimitOf(turn))) return postponeRound(run, { step }, context);
  log.info({ event: 'round.started' }, `round ${step.round} starting`);

  try {
    return await askWithHistory(run, step, context);
  } catch (failure) {
    if (run.signal.aborted) return stopRun(run, context);
    if (failure instanceof TierLate) return leaveTier(run, { step, because: 'deadline' }, context);
    if (failure instanceof MemoryBusy) return leaveToOthers(run, failure, context);
    if (failure instanceof ProviderFailed) return retryRound(run, { step, failure }, context);
    throw failure;
  }
}

async function askWithHistory(run: Run, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  using history = await openHistory(run, context);
  const { earlier } = history;
  const isShortened = history.isShortened || run.isShortened;
  const because = isShortened ? 'refused' : 'size';
  const compacted = await compactLine(run, { step, earlier, because }, context);
  if (compacted.kind === 'left') return compacted.wakeups;
  if (!isShortened) return await askUntilItFits(run, { step, earlier }, context);
  if (compacted.kind === 'same') throw new HistoryTooLarge(context.memory.most);
  if (run.isShortened) return handBack(run, context);
  // Its share is free before the history is loaded again, without the turns that are replaced now.
  history[Symbol.dispose]();
  return askWithHistory(run, step, context);
}

/** Gives the step back: the steps that fill the memory of this worker end, or another worker takes it. */
function leaveToOthers(run: Run, { message }: MemoryBusy, context: WorkerContext): Promise<Wakeup[]> {
  context.log.info({ event: 'memory.busy', turn_id: run.turn.id, step: run.step }, message);
  return handBack(run, context);
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
  const { memory, blobCache } = context;
  const messages = transcriptOf(sentHistory(lineOf(run, question.earlier)));
  if (sizeOfMessages(messages) > memory.most) throw new HistoryTooLarge(memory.most);
  using filled = await blobCache.fill(run.turn.project, messages);
  const asking = { step: question.step, model: run.turn.work.model, messages };
  const room = await takeRoom(run, asking, context);
  if (room.kind === 'left') return room.wakeups;
  using permit = context.rateLimits.acquire(rateLimitOf(run.turn));
  const attempt = startAttempt(run, question.step.round);
  const asked = { step: question.step, messages: filled.messages, permit, attempt };
  const reply = await requestReply(run, asked, context);
  attempt.repliedAt = Date.now();
  permit.answered();
  noteExhausted(rateLimitOf(run.turn), reply, context);
  const correct = room.correctionOf(reply);
  const wakeups = await commitRound(run, { step: question.step, reply, startedAt: attempt.startedAt }, context);
  await correct();
  return wakeups;
}

async function requestReply(
  run: Run,
  { step, messages, permit, attempt }: { step: RoundStep; messages: Message[]; permit: Permit; attempt: Attempt },
  context: WorkerContext,
): Promise<Reply> {
  const { turn } = run;
  const { watchers, providers, tracer } = context;
  const { model } = turn.work;
  const trace = tracer.headersWithin(turn, () => chatSpanId(turn, attempt));
  const provider = providers.ofModel(model, turn.config.wires);
  const { request, warnings } = withKnownTtl({ ...roundRequest(turn, step, messages), trace }, provider);
  noteRequest(attempt, { request, provider }, tracer);

  const address = { turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 };
  using publisher = publishRound(watchers, address, run);
  using _inFlight = watchers.trackInFlight(turn.id, leasedFor(run, publisher, context));
  using late = untilLate(run);
  const dialect = chooseDialect(turn.config.tool_mode, countRequests(provider, run));
  const reply = await dialect.ask(request, late.signal, (delta) => {
    permit.answered();
    attempt.firstChunkAt ??= Date.now();
    publisher.take(delta);
  });
  const warned = warnings.length > 0 ? { warnings: [...(reply.warnings ?? []), ...warnings] } : {};
  return { ...reply, ...warned, reasoning: reply.reasoning ?? publisher.reasoning() };
}

/** The deadline of the turn is near, so a request on `flex` is ended. */
class TierLate extends Error {}

/** The signal of a run, which also ends a request on `flex` once the round has to leave the tier. */
function untilLate({ turn, signal, ageMs }: Run): Disposable & { signal: AbortSignal } {
  const inMs = lateInMs(turn) - ageMs();
  if (inMs > LONGEST_TIMER_MS) return { signal, [Symbol.dispose]: () => {} };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new TierLate()), inMs);
  return { signal: AbortSignal.any([signal, late.signal]), [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Node's timers end there, and no request lasts that long. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
