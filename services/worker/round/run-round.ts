import { ProviderFailed } from '#core/failure.ts';
import { NotAnswered } from '#core/llm/batches/replay-answers.ts';
import { Interrupted, StillRunning } from '#core/llm/interrupted.ts';
import { isPolling } from '#core/turn/background/background.ts';
import { sentHistory } from '#core/turn/compaction/sent-history.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { sizeOfMessages } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import { isBatched, isLate } from '#core/turn/tiers/change-tier.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups, endIfUnwritable, handBack, stopRun } from '../lease/stop-run.ts';
import { HistoryTooLarge, MemoryBusy } from '../memory/memory.ts';
import { rateLimitOf } from '../rate-limits.ts';
import { reportFailedAttempt } from '../report/report-attempt.ts';
import { type Failed, failedWith } from './ask-model.ts';
import { isTooLong } from './ask-summary.ts';
import { pollResponse, waitForResponse } from './background/wait-for-response.ts';
import { withResponses } from './background/with-responses.ts';
import { enter } from './batched/enter.ts';
import { isAnswered } from './batched/is-answered.ts';
import { type CommittedRound, commitRound } from './commit-round.ts';
import { compactHistory } from './compact-history.ts';
import { type Earlier, openHistory, threadOf } from './open-history.ts';
import { requestReply, TierLate } from './request-reply.ts';
import { leaveTier, postponeRound, retryRound, waitForRoom } from './retry-round.ts';
import { type NoRoom, takeRoom, UNLIMITED } from './take-room.ts';

/** A round with its reply, or the reason to leave the round, and the resulting run. */
type Tried =
  | { kind: 'replied'; run: Run; reply: Reply; startedAt: number; correct: () => Promise<void> }
  | ({ run: Run } & NoRoom)
  | { kind: 'left' | 'given-back'; run: Run }
  | Failed;

/**
 * Requests one reply of the model and checkpoints it. A redelivered job finds its checkpoint and moves on.
 * docs/architecture.md lists the files of this path in "The walk of one turn".
 */
export async function runRound(started: Run, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  const run = withResponses(started, context);
  const { turn } = run;
  if (isLate(turn) && !(await isAnswered(run, context))) return leaveTier(run, { step, because: 'deadline' }, context);
  if (!turn.work.background && !context.rateLimits.allows(rateLimitOf(turn)))
    return postponeRound(run, { step }, context);
  const about = { turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 };
  if (!isPolling(turn.work)) context.log.info(...startOf(turn, about));

  const tried = await tryRound(run, step, context);
  return await endIfUnwritable(tried.run, () => endRound(tried, step, context), context);
}

/** Returns the log line of a run that begins a round, or follows its response. */
function startOf({ work }: Turn, about: { round: number }): [fields: object, says: string] {
  if (work.background?.isBatch) return [{ event: 'answer.read', ...about }, `round ${about.round} reads its answer`];
  return work.background
    ? [{ event: 'response.followed', ...about }, `round ${about.round} follows its response`]
    : [{ event: 'round.started', ...about }, `round ${about.round} starting`];
}

/** Loads the history, compacts it if that is due, and asks the model. */
async function tryRound(loaded: Run, step: RoundStep, context: WorkerContext): Promise<Tried> {
  try {
    await pollResponse(loaded);
    using history = await openHistory(loaded, context);
    const { earlier } = history;
    const isShortened = history.isShortened || loaded.isShortened;
    const because = isShortened ? 'refused' : 'size';
    // A round that waits for a response has compacted its history before.
    const compacted = loaded.responses?.awaited()
      ? { kind: 'same' as const, run: loaded }
      : await compactHistory(loaded, { step, earlier, because }, context);
    if (compacted.kind !== 'same' && compacted.kind !== 'shorter') return compacted;
    const { run } = compacted;
    if (!isShortened) return await askUntilItFits(run, { step, earlier }, context).catch(failedWith(run));
    if (compacted.kind === 'same') return failedWith(run)(new HistoryTooLarge(context.memory.most));
    if (run.isShortened) return { kind: 'given-back', run };
    // Releases the share before the history is loaded again without the replaced turns.
    history[Symbol.dispose]();
    return await tryRound(run, step, context);
  } catch (failure) {
    return failedWith(loaded)(failure);
  }
}

type Question = { step: RoundStep; earlier: Earlier };

/**
 * Asks the model. If the provider refuses the history as too long and the turn allows compaction, compacts it and
 * asks once more.
 */
async function askUntilItFits(run: Run, question: Question, context: WorkerContext): Promise<Tried> {
  const tried = await askRound(run, question, context).catch(failedWith(run));
  if (tried.kind !== 'failed' || !isTooLong(tried.failure)) return tried;
  const refused = reportFailedAttempt(tried.run, 'context_length_exceeded', context);
  const compacted = await compactHistory(refused, { ...question, because: 'refused' }, context);
  if (compacted.kind === 'same') return { ...tried, run: compacted.run };
  if (compacted.kind !== 'shorter') return compacted;
  run.responses?.forget();
  return await askRound(compacted.run, question, context).catch(failedWith(compacted.run));
}

/** Asks the model with its history, once the limits of the model have room. */
async function askRound(run: Run, { step, earlier }: Question, context: WorkerContext): Promise<Tried> {
  const { memory, blobCache } = context;
  const messages = transcriptOf(sentHistory(threadOf(run.turn, earlier)));
  if (sizeOfMessages(messages) > memory.most) throw new HistoryTooLarge(memory.most);
  using filled = await blobCache.fill(run.turn.project, messages);
  // A response that the round waits for was booked when it was requested. Batches have their own limits.
  const room =
    run.responses?.awaited() || isBatched(run.turn)
      ? UNLIMITED
      : await takeRoom(run, { model: run.turn.work.model, messages }, context);
  if (room.kind === 'full') return { ...room, run };
  const asked = await requestReply(run, { step, messages: filled.messages }, context);
  if (asked.kind === 'failed') return asked;
  return { ...asked, correct: room.correctionOf(asked.reply, asked.run.requests - run.requests) };
}

/** Commits the reply of a round, or leaves the round without a reply. */
async function endRound(tried: Tried, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  if (tried.kind === 'failed') return leaveRound(tried, step, context);
  const written = await writeRound(tried, step, context).catch(failedWith(tried.run));
  if ('kind' in written) return leaveRound(written, step, context);
  // The round is saved, so later failures may not report it as failed.
  written.report?.();
  if (tried.kind === 'replied') await tried.correct();
  return written.wakeups;
}

async function writeRound(
  tried: Exclude<Tried, Failed>,
  step: RoundStep,
  context: WorkerContext,
): Promise<CommittedRound> {
  const { run } = tried;
  switch (tried.kind) {
    case 'replied':
      return await commitRound(run, { step, ...tried }, context);
    case 'full':
      return { wakeups: await waitForRoom(run, { step, ...tried }, context) };
    case 'left':
      return { wakeups: await dueWakeups(run, context) };
    case 'given-back':
      return { wakeups: await handBack(run, context) };
  }
}

/** Leaves a round without a reply. The failure decides whether the round is tried again, handed on or given up. */
async function leaveRound(failed: Failed, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  const { run, failure } = failed;
  if (run.lease.signal.aborted) return stopRun(run, context);
  if (failure instanceof TierLate) return leaveTier(run, { step, because: 'deadline' }, context);
  if (failure instanceof NotAnswered) return enter(run, step, context);
  if (failure instanceof StillRunning) return waitForResponse(run, { step, ...failure }, context);
  if (failure instanceof Interrupted) throw failure.cause;
  if (failure instanceof MemoryBusy) {
    const about = { event: 'memory.busy', turn_id: run.turn.id, step: run.lease.step };
    context.log.info(about, failure.message);
    return handBack(run, context);
  }
  if (failure instanceof ProviderFailed) return retryRound(run, { ...failed, step, failure }, context);
  throw failure;
}
