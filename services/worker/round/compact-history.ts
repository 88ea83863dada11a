import { saveCompaction } from '#core/checkpoint/turns/compaction/save-compaction.ts';
import type { Compaction } from '#core/turn/compaction/compaction.ts';
import {
  type CompactionPlan,
  type CompactionReason,
  planCompaction,
  tokensAfter,
} from '#core/turn/compaction/plan-compaction.ts';
import { type HistoryTurn, replacesAny } from '#core/turn/compaction/sent-history.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { failedWith } from './ask-model.ts';
import { askSummary, type Summary, type Unsummarized, withoutSummary } from './ask-summary.ts';
import { type Earlier, threadOf } from './open-history.ts';

/**
 * The run after a compaction, and how its round continues: with a `shorter` history, with the `same` history, `left`
 * to another run that was first, or `given-back`.
 */
type Compacted = { kind: 'shorter'; run: Run } | { kind: 'same'; run: Run } | { kind: 'left' | 'given-back'; run: Run };

/**
 * Shortens the history before a round, if that is due. If the plan needs a summary, requests and checkpoints it, so
 * that no other job requests it again (R23). Never throws.
 * - If no model could write a summary, results are dropped instead, also before all later rounds of the turn.
 * - If a summary is not shorter than the messages that it replaces, the compaction is saved without a summary. The
 *   history then stays the same.
 */
export async function compactHistory(
  run: Run,
  { step, earlier, because }: { step: RoundStep; earlier: Earlier; because: CompactionReason },
  context: WorkerContext,
): Promise<Compacted | Unsummarized> {
  const thread = threadOf(run.turn, earlier);
  const plan = planCompaction(thread, because);
  if (!plan) return { kind: 'same', run };
  const isAsked = plan.strategy === 'summarize';
  const asked = isAsked ? await askSummary(run, { step, replaced: plan.replaced }, context) : withoutSummary(run);
  if (asked.kind !== 'summarized') return asked;
  const saving = saveShortened(asked.run, { thread, plan, written: asked.written }, context);
  const compacted = await saving.catch(failedWith(asked.run));
  if (compacted.kind !== 'failed') await asked.correct?.();
  return compacted;
}

type Saving = { thread: HistoryTurn[]; plan: CompactionPlan; written: Summary };

async function saveShortened(
  run: Run,
  { thread, plan: wanted, written }: Saving,
  context: WorkerContext,
): Promise<Compacted> {
  const { turn } = run;
  const plan = written.summary === null ? { ...wanted, strategy: 'drop_tool_results' as const } : wanted;
  const after = tokensAfter(thread, plan, written.summary);
  if (wanted.strategy === 'drop_tool_results' && after === null) return { kind: 'same', run };

  const { replaced: _, covered, ...place } = plan;
  const isUsed = after !== null;
  const failedRequests = run.requests - written.requests;
  const compaction = {
    ...{ ...place, ...written, afterTokens: after ?? plan.beforeTokens },
    summary: isUsed ? written.summary : null,
  };
  const dropped = run.responses?.awaited()?.responses;
  const about = { turnId: turn.id, ownModel: turn.work.model, isUsed, failedRequests, covered, dropped };
  const write = { verb: 'saveCompaction', turnId: turn.id };
  const saved = await writeCheckpoint(context, write, () => saveCompaction(context.db, { compaction, ...about }));
  if (!saved) return goOnWithSaved(run, plan.round, context);

  if (written.model && written.usage) context.metrics.tokensUsed(turn.project, written.model, written.usage);
  const isMade = isUsed && replacesAny(saved);
  report(turn, { ...plan, after: isMade ? after : null }, context);
  const compacted = {
    ...turn,
    compactions: [...turn.compactions, saved],
    failedRequests: turn.failedRequests + failedRequests,
    lastEvent: turn.lastEvent + (isMade ? 1 : 0),
    work: { ...turn.work, attempts: 0 },
  };
  return goOn({ ...run, turn: compacted, requests: 0 }, saved);
}

/**
 * Continues after a compaction. A run that has published a piece of its round hands the round back, since the next
 * run has its own draft number (R18).
 */
function goOn(run: Run, saved: Compaction): Compacted {
  if (!replacesAny(saved)) return { kind: 'same', run };
  return { kind: run.published ? 'given-back' : 'shorter', run };
}

/** Continues with a compaction that another run, or an earlier attempt of the same write, has saved. */
async function goOnWithSaved(run: Run, round: number, context: WorkerContext): Promise<Compacted> {
  const fresh = await context.turnCache.load(run.turn.id);
  const saved = fresh?.compactions.find((compaction) => compaction.round === round);
  const isLeft = fresh?.work.step !== run.lease.step || fresh.work.model !== run.turn.work.model;
  if (isLeft || !saved) return { kind: 'left', run };
  const { compactions, failedRequests, lastEvent, startedAt, status }: Turn = fresh;
  const work = { ...run.turn.work, attempts: fresh.work.attempts };
  return goOn(
    { ...run, turn: { ...run.turn, compactions, failedRequests, lastEvent, startedAt, status, work } },
    saved,
  );
}

type Reported = Pick<CompactionPlan, 'round' | 'strategy' | 'beforeTokens'> & { after: number | null };

function report({ id }: Turn, { round, strategy, beforeTokens, after }: Reported, context: WorkerContext): void {
  const { log, watchers } = context;
  const about = { turn_id: id, round, strategy, before_tokens: beforeTokens, after_tokens: after };
  if (after === null) {
    log.warn(
      { event: 'context.kept', ...about },
      `round ${round}: history not compacted (no shorter summary, or it mentioned deleted content)`,
    );
    return;
  }
  log.info(
    { event: 'context.compacted', ...about },
    `round ${round}: history compacted, ${beforeTokens} tokens to ${after}`,
  );
  watchers.publishContinued(id);
}
