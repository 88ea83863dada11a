import { transcriptOf } from '../history/transcript.ts';
import type { Message } from '../message.ts';
import { isHandedOver } from '../next-step.ts';
import { isMessage } from '../request/item.ts';
import type { Turn } from '../turn.ts';
import type { Compaction, CompactionStrategy } from './compaction.ts';
import {
  findInEffect,
  type HistoryTurn,
  isWholly,
  leftOutOf,
  type Place,
  sentHistory,
  withoutHidden,
} from './sent-history.ts';
import { tokensOfRequest, tokensSinceCounted } from './tokens-of-request.ts';

/** A planned compaction, before the request for a summary. The summary has to cover `replaced`. */
export type CompactionPlan = Pick<
  Compaction,
  'round' | 'strategy' | 'upToTurn' | 'upToRound' | 'beforeTokens' | 'leftOut'
> & { replaced: Message[]; covered: string[] };

/**
 * Why the history must become shorter: the next request would exceed the turn's maximum, or its provider refused it.
 */
export type CompactionReason = 'size' | 'refused';

/**
 * Decides whether and how far to compact the history of a thread's last turn, except its last rounds. Null if the
 * compaction is not due, replaces no new round, or was made for this round (R23).
 */
export function planCompaction(thread: readonly HistoryTurn[], because: CompactionReason): CompactionPlan | null {
  const turn = thread.at(-1);
  const context = turn?.config.context;
  if (!turn || !context) return null;
  const round = turn.rounds.length + 1;
  if (turn.compactions.some((compaction) => compaction.round === round)) return null;

  const sent = sentHistory(thread);
  const beforeTokens = tokensSinceCounted(thread) ?? tokensOfRequest(transcriptOf(sent), turn.config);
  if (because === 'size' && beforeTokens <= (context.max_input_tokens ?? Number.POSITIVE_INFINITY)) return null;

  const upTo = placeBefore(thread, context.keep_last_rounds);
  const owner = upTo && thread[upTo.index];
  const strategy = strategyOf(turn, context.strategy);
  if (!owner || !isBehind(upTo, reached(thread, strategy))) return null;
  const place = { upToTurn: owner.id, upToRound: upTo.round };
  const covered = thread.slice(0, upTo.index + 1);
  const leftOut = leftOutOf(covered);
  // Callers see the summary, so the summary contains no deleted content.
  const visible = sentHistory(thread.map(withoutHidden));
  const replaced = transcriptOf(coveredTurns(visible, place));
  return { round, strategy, ...place, beforeTokens, leftOut, replaced, covered: covered.map(({ id }) => id) };
}

/** Returns the strategy of a turn. After a failed summary, the turn drops results, as its compactions show. */
function strategyOf({ compactions }: HistoryTurn, wanted: CompactionStrategy): CompactionStrategy {
  return compactions.some(({ strategy }) => strategy === 'drop_tool_results') ? 'drop_tool_results' : wanted;
}

/** Returns the size of the next request after a plan, or null if it would not be smaller. */
export function tokensAfter(
  thread: readonly HistoryTurn[],
  { replaced: _, covered: __, ...plan }: CompactionPlan,
  summary: string | null,
): number | null {
  const turn = thread.at(-1);
  if (!turn) return null;
  const compaction = {
    ...plan,
    summary,
    afterTokens: 0,
    model: null,
    usage: null,
    requests: 0,
    createdAt: turn.createdAt,
  };
  const after = [...thread.slice(0, -1), { ...turn, compactions: [...turn.compactions, compaction] }];
  const sizeOf = (turns: readonly HistoryTurn[]) => tokensOfRequest(transcriptOf(sentHistory(turns)), turn.config);
  const [now, then] = [sizeOf(thread), sizeOf(after)];
  return then < now ? Math.min(plan.beforeTokens - 1, Math.ceil((plan.beforeTokens * then) / now)) : null;
}

function placeBefore(thread: readonly HistoryTurn[], kept: number): Place | undefined {
  const places = thread.flatMap(({ rounds }, index) => rounds.map(({ number }) => ({ index, round: number })));
  return places.at(-1 - kept);
}

function reached(thread: readonly HistoryTurn[], strategy: CompactionStrategy): (Place | undefined)[] {
  const summarized = findInEffect(thread, 'summarize')?.upTo;
  return strategy === 'summarize' ? [summarized] : [summarized, findInEffect(thread, 'drop_tool_results')?.upTo];
}

function isBehind({ index, round }: Place, others: (Place | undefined)[]): boolean {
  return others.every((other) => !other || index > other.index || (index === other.index && round > other.round));
}

/**
 * Returns the turns that a compaction replaces, as requests contain them before, with the answers to handed-over
 * calls.
 */
function coveredTurns(
  sent: readonly Turn[],
  { upToTurn, upToRound }: Pick<Compaction, 'upToTurn' | 'upToRound'>,
): Turn[] {
  const at = sent.findIndex(({ id }) => id === upToTurn);
  const last = sent[at];
  const next = sent[at + 1];
  if (!last) return [];
  if (!next || !isWholly(last, upToRound)) {
    const rounds = last.rounds.filter(({ number }) => number <= upToRound);
    return [...sent.slice(0, at), { ...last, rounds, pendingInput: [], output: null }];
  }
  const covered = sent.slice(0, at + 1);
  if (!isHandedOver(last)) return covered;
  const answers = next.input.filter((item) => !isMessage(item));
  return [...covered, { ...next, input: answers, rounds: [], pendingInput: [], output: null }];
}
