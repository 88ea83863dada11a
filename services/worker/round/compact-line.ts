import { saveCompaction } from '#core/checkpoint/turns/compaction/save-compaction.ts';
import { ProviderFailed } from '#core/failure.ts';
import { cleanText } from '#core/text.ts';
import type { Compaction } from '#core/turn/compaction/compaction.ts';
import {
  type CompactionPlan,
  type CompactionReason,
  planCompaction,
  tokensAfter,
} from '#core/turn/compaction/plan-compaction.ts';
import { type HistoryTurn, replacesAny } from '#core/turn/compaction/sent-history.ts';
import { MAX_SUMMARY_TOKENS } from '#core/turn/compaction/summary-prompt.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import { decideRetry, isSpent, maxAttemptsOf, nextModel, requestedPauseMs } from '#core/turn/retry.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups, handBack } from '../lease/stop-run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { askSummary } from './ask-summary.ts';
import { pricedUsage } from './priced-usage.ts';
import { postponeRound, retryRound } from './retry-round.ts';
import { takeRoom } from './take-room.ts';

/** The turns that a turn stands on, oldest first. */
export type Earlier = readonly HistoryTurn[];

/** What came of it: the round is asked with a shorter history, or with the same, or it is left for these wakeups. */
type Compacted = { kind: 'shorter' } | { kind: 'same' } | { kind: 'left'; wakeups: Wakeup[] };

type Due = { step: RoundStep; earlier: Earlier; because: CompactionReason };

/** The turns that the next round of a run stands on, with its own as it stands by now. */
export function lineOf({ turn }: Run, earlier: Earlier): HistoryTurn[] {
  return [...earlier, { ...turn, leftOut: 0 }];
}

/**
 * Makes the history shorter before a round, where that is due: asks for a summary if it takes one, and checkpoints it, so that
 * no other job asks again (R23). A request for a summary that fails is tried again as the round would be. If no summary comes,
 * results are dropped instead, also before all later rounds of the turn. If it is no shorter than what it stands for, that is
 * noted, and the round is asked as it was.
 */
export async function compactLine(
  run: Run,
  { step, earlier, because }: Due,
  context: WorkerContext,
): Promise<Compacted> {
  const line = lineOf(run, earlier);
  const plan = planCompaction(line, because);
  if (!plan) return { kind: 'same' };
  if (plan.strategy === 'drop_tool_results') return saveLine(run, { line, plan, written: NOTHING }, context);

  return summarize(run, { step, line, plan, ...summaryWriter(run.turn, context) }, context);
}

/** A model to ask for a summary, and how many of the step's tries were another's. */
type SummaryWriter = { model: string; triedBefore: number };

/**
 * Who writes the summary: the model that is named for it, unless its tries are used up, or it is away for longer than a turn
 * waits for a model.
 */
function summaryWriter(turn: Turn, context: WorkerContext): SummaryWriter {
  const { config, work } = turn;
  const named = config.context?.model ?? work.model;
  const maxAttempts = maxAttemptsOf(config);
  if (named !== work.model && work.attempts >= maxAttempts) return { model: work.model, triedBefore: maxAttempts - 1 };
  const waitMs = context.rateLimits.waitMs(named);
  return { model: waitMs > context.fallbackAfterMs ? work.model : named, triedBefore: 0 };
}

type Summary = SummaryWriter & { step: RoundStep; line: HistoryTurn[]; plan: CompactionPlan };

/** Where the model that is named for summaries cannot answer, the one that the turn asks now does. */
async function summarize(run: Run, due: Summary, context: WorkerContext): Promise<Compacted> {
  const { step, line, plan, model, triedBefore } = due;
  const failing = { step, model, triedBefore, limit: model };
  if (!context.rateLimits.allows(model)) return { kind: 'left', wakeups: await postponeRound(run, failing, context) };
  try {
    const asking = { step, model, messages: plan.replaced, summaryTokens: MAX_SUMMARY_TOKENS };
    const room = await takeRoom(run, asking, context);
    if (room.kind === 'left') return room;
    const reply = await askSummary(run, { step, model, messages: plan.replaced }, context);
    const correct = room.correctionOf(reply);
    const usage = pricedUsage(reply, model, context);
    const saved = await saveLine(run, { line, plan, written: { model, ...summaryOf(reply), usage } }, context);
    await correct();
    return saved;
  } catch (failure) {
    if (run.signal.aborted || !(failure instanceof ProviderFailed)) throw failure;
    const without = { line, plan, written: { ...NOTHING, model } };
    if (isTooLong(failure)) return await saveLine(run, without, context);
    const { turn } = run;
    const isOver = isModelSpent(turn, { ...failing, failure }, context);
    if (isOver && model !== turn.work.model)
      return await summarize(run, { ...due, ...nextWriter(turn, failure, context) }, context);
    const isEmpty = failure.code === 'provider_bad_response';
    if (isOver && isEmpty && nextModel(turn) === null) return await saveLine(run, without, context);
    return { kind: 'left', wakeups: await retryRound(run, { ...failing, failure }, context) };
  }
}

/** Whether the provider says that a request is longer than its model takes. */
export function isTooLong(failure: unknown): boolean {
  return failure instanceof ProviderFailed && failure.code === 'context_length_exceeded';
}

/** The turn's own model, which has all its tries where the one that was named has used up its own. */
function nextWriter({ work }: Turn, failure: ProviderFailed, { fallbackAfterMs }: WorkerContext): SummaryWriter {
  const isLeftAtOnce = isSpent({ failure, isOver: false, waitMs: 0 }, fallbackAfterMs);
  const isUsedUp = failure.retry.kind === 'later' && !isLeftAtOnce;
  return { model: work.model, triedBefore: isUsedUp ? work.attempts : 0 };
}

/** Whether a model that was asked for a summary is given up: by the rules of a round, with the wait that its limit asks for. */
function isModelSpent(
  turn: Turn,
  { failure, model, triedBefore }: SummaryWriter & { failure: ProviderFailed },
  context: WorkerContext,
): boolean {
  const { rateLimits, fallbackAfterMs } = context;
  const isLimited = failure.retry.kind === 'rate-limited';
  if (isLimited) rateLimits.refused(model, requestedPauseMs(failure.retry));
  const waitMs = isLimited ? rateLimits.waitMs(model) : 0;
  const spent = { ...turn.work, attempts: turn.work.attempts - triedBefore };
  const bounds = { pauseMs: waitMs, maxAttempts: maxAttemptsOf(turn.config) };
  const isOver = decideRetry(failure.retry, spent, bounds).kind === 'fail';
  return isSpent({ failure, isOver, waitMs }, fallbackAfterMs);
}

type Written = { model: string | null; summary: string | null; usage: Reply['usage']; requests: number };

const NOTHING: Written = { model: null, summary: null, usage: null, requests: 0 };

/** A refusal is no summary; one that was cut off is. */
function summaryOf({ text, finishReason }: Reply): Pick<Written, 'summary' | 'requests'> {
  const isRefused = finishReason === 'refusal' || finishReason === 'content_filter';
  return { summary: isRefused ? null : cleanText(text ?? '').trim() || null, requests: 1 };
}

async function saveLine(
  run: Run,
  { line, plan: wanted, written }: { line: HistoryTurn[]; plan: CompactionPlan; written: Written },
  context: WorkerContext,
): Promise<Compacted> {
  const plan = written.summary === null ? { ...wanted, strategy: 'drop_tool_results' as const } : wanted;
  const after = tokensAfter(line, plan, written.summary);
  if (wanted.strategy === 'drop_tool_results' && after === null) return { kind: 'same' };

  const { replaced: _, covered, ...place } = plan;
  const isUsed = after !== null;
  const failedRequests = run.requests - written.requests;
  const compaction = {
    ...{ ...place, ...written, afterTokens: after ?? plan.beforeTokens },
    summary: isUsed ? written.summary : null,
  };
  const about = { turnId: run.turn.id, ownModel: run.turn.work.model, isUsed, failedRequests, covered };
  const write = { verb: 'saveCompaction', turnId: run.turn.id };
  const saved = await writeCheckpoint(context, write, () => saveCompaction(context.db, { compaction, ...about }));
  if (!saved) return goOnWithSaved(run, plan.round, context);

  if (written.model && written.usage) context.metrics.tokensUsed(run.turn.project, written.model, written.usage);
  const { turn } = run;
  const isMade = isUsed && replacesAny(saved);
  run.turn = {
    ...turn,
    compactions: [...turn.compactions, saved],
    failedRequests: turn.failedRequests + failedRequests,
    lastEvent: turn.lastEvent + (isMade ? 1 : 0),
    work: { ...turn.work, attempts: 0 },
  };
  run.requests = 0;
  report(run, { ...plan, after: isMade ? after : null }, context);
  return goOn(run, saved, context);
}

/** A run that has told a piece of its round leaves it to another, which tells it under an edition of its own (R18). */
async function goOn(run: Run, saved: Compaction, context: WorkerContext): Promise<Compacted> {
  if (!replacesAny(saved)) return { kind: 'same' };
  return run.told ? { kind: 'left', wakeups: await handBack(run, context) } : { kind: 'shorter' };
}

/** Another run was first, or an earlier try of the same write: what is kept is what counts. */
async function goOnWithSaved(run: Run, round: number, context: WorkerContext): Promise<Compacted> {
  const fresh = await context.turnCache.load(run.turn.id);
  const saved = fresh?.compactions.find((compaction) => compaction.round === round);
  const isLeft = fresh?.work.step !== run.step || fresh.work.model !== run.turn.work.model;
  if (isLeft || !saved) return { kind: 'left', wakeups: await dueWakeups(run.turn, context) };
  const { compactions, failedRequests, lastEvent, startedAt, status }: Turn = fresh;
  const work = { ...run.turn.work, attempts: fresh.work.attempts };
  run.turn = { ...run.turn, compactions, failedRequests, lastEvent, startedAt, status, work };
  return goOn(run, saved, context);
}

function report(
  { turn }: Run,
  {
    round,
    strategy,
    beforeTokens,
    after,
  }: Pick<CompactionPlan, 'round' | 'strategy' | 'beforeTokens'> & { after: number | null },
  { log, watchers }: WorkerContext,
): void {
  const about = { turn_id: turn.id, round, strategy, before_tokens: beforeTokens, after_tokens: after };
  if (after === null) {
    log.warn(
      { event: 'context.kept', ...about },
      `round ${round}: no summary came that is shorter than what it stands for, and tells nothing that was deleted`,
    );
    return;
  }
  log.info(
    { event: 'context.compacted', ...about },
    `round ${round}: history compacted, ${beforeTokens} tokens to ${after}`,
  );
  watchers.publishContinued(turn.id);
}
