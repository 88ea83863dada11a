import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { loadPlanned, outlineHistory } from '#core/checkpoint/turns/reading/outline.ts';
import {
  bytesLoaded,
  type LoadingPlan,
  type OutlinedTurn,
  planLoading,
  planShortened,
} from '#core/turn/compaction/plan-loading.ts';
import type { HistoryTurn } from '#core/turn/compaction/sent-history.ts';
import { MOST_OF_RESULT } from '#core/turn/compaction/summary-prompt.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { HistoryTooLarge } from '../memory/memory.ts';
import { NO_SHARE } from '../memory/shares.ts';

/** The earlier turns in a turn's history, oldest first. */
export type Earlier = readonly HistoryTurn[];

/** Returns the history of a turn's next round, which includes the turn itself. */
export function threadOf(turn: Turn, earlier: Earlier): HistoryTurn[] {
  return [...earlier, { ...turn, leftOut: 0 }];
}

/**
 * The earlier turns in a turn's history, and a share of the worker's memory. `isShortened`: the history is larger
 * than a worker loads, so it has only the beginnings of results, for a compaction.
 */
export type OpenedHistory = Disposable & { earlier: Earlier; isShortened: boolean };

/**
 * Loads the history of a run. A large history waits for its share of the memory, and is loaded without the turns and
 * results that compactions have replaced.
 */
export async function openHistory(run: Run, context: WorkerContext): Promise<OpenedHistory> {
  const { conversationId, position: before } = run.turn;
  const { db, memory } = context;
  const earlier = before <= 1 ? [] : await loadHistory(db, conversationId, { before, most: memory.small });
  return earlier ? { ...NO_SHARE, earlier, isShortened: false } : openLarge(run, context);
}

async function openLarge(run: Run, context: WorkerContext): Promise<OpenedHistory> {
  const { conversationId, position } = run.turn;
  const outline = await outlineHistory(context.db, conversationId, position);
  const plan = planLoading(threadOf(run.turn, turnsOf(outline)));
  const isShortened = bytesOf(outline, plan) > context.memory.most;
  const wanted = isShortened ? planToCompact(run, { plan, outline }, context) : plan;
  return loadShared(run, { outline, plan: wanted, isShortened }, context);
}

/** Plans the loading of a history that is too large. Throws if the turn does not allow its compaction. */
function planToCompact({ turn }: Run, { plan, outline }: Planned, { memory }: WorkerContext): LoadingPlan {
  const { context } = turn.config;
  const shortened = planShortened(plan, context?.strategy === 'summarize' ? MOST_OF_RESULT : undefined);
  if (!context || bytesOf(outline, shortened) > memory.most) throw new HistoryTooLarge(memory.most);
  return shortened;
}

type Planned = { outline: OutlinedTurn[]; plan: LoadingPlan };
type Wanted = Planned & Pick<OpenedHistory, 'isShortened'>;

async function loadShared(
  run: Run,
  { outline, plan, isShortened }: Wanted,
  context: WorkerContext,
): Promise<OpenedHistory> {
  const { conversationId, position: before } = run.turn;
  const share = await context.memory.takeHistory(bytesOf(outline, plan));
  try {
    run.lease.signal.throwIfAborted();
    const earlier = await loadPlanned(context.db, { conversationId, before, outline }, plan);
    // If a delete has emptied a summary since then, the turns that the summary replaced are loaded too.
    if (planLoading(threadOf(run.turn, earlier)).first >= plan.first) return { ...share, earlier, isShortened };
  } catch (error) {
    share[Symbol.dispose]();
    throw error;
  }
  share[Symbol.dispose]();
  return openLarge(run, context);
}

function turnsOf(outline: readonly OutlinedTurn[]): Earlier {
  return outline.map(({ turn }) => turn);
}

function bytesOf(outline: readonly OutlinedTurn[], plan: LoadingPlan): number {
  return bytesLoaded(outline, plan).reduce((sum, bytes) => sum + bytes, 0);
}
