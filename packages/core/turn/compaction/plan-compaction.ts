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

/** A compaction as it is decided, before a summary is asked for. `replaced` is what a summary has to tell. */
export type CompactionPlan = Pick<
  Compaction,
  'round' | 'strategy' | 'upToTurn' | 'upToRound' | 'beforeTokens' | 'leftOut'
> & { replaced: Message[]; covered: string[] };

/** Why the history has to become shorter: the next request would pass what the turn allows, or its provider has refused it. */
export type CompactionReason = 'size' | 'refused';

/**
 * Decides whether and up to where the history of a line's last turn is compacted: all but its last rounds. Null if
 * that is not due, replaces nothing new, or was done for this round (R23).
 */
export function planCompaction(line: readonly HistoryTurn[], because: CompactionReason): CompactionPlan | null {
  const turn = line.at(-1);
  const context = turn?.config.context;
  if (!turn || !context) return null;
  const round = turn.rounds.length + 1;
  if (turn.compactions.some((compaction) => compaction.round === round)) return null;

  const sent = sentHistory(line);
  const beforeTokens = tokensSinceCounted(line) ?? tokensOfRequest(transcriptOf(sent), turn.config);
  if (because === 'size' && beforeTokens <= (context.max_input_tokens ?? Number.POSITIVE_INFINITY)) return null;

  const upTo = placeBefore(line, context.keep_last_rounds);
  const owner = upTo && line[upTo.index];
  const strategy = strategyOf(turn, context.strategy);
  if (!owner || !isBehind(upTo, reached(line, strategy))) return null;
  const place = { upToTurn: owner.id, upToRound: upTo.round };
  const covered = line.slice(0, upTo.index + 1);
  const leftOut = leftOutOf(covered);
  // A summary is shown to callers, who find nothing more of what was deleted.
  const told = sentHistory(line.map(withoutHidden));
  const replaced = transcriptOf(coveredTurns(told, place));
  return { round, strategy, ...place, beforeTokens, leftOut, replaced, covered: covered.map(({ id }) => id) };
}

/** A turn for which no summary could be written drops results from then on, as its compactions say. */
function strategyOf({ compactions }: HistoryTurn, wanted: CompactionStrategy): CompactionStrategy {
  return compactions.some(({ strategy }) => strategy === 'drop_tool_results') ? 'drop_tool_results' : wanted;
}

/** What comes of a plan: how large the next request is with it, or null where it would be no smaller. */
export function tokensAfter(
  line: readonly HistoryTurn[],
  { replaced: _, covered: __, ...plan }: CompactionPlan,
  summary: string | null,
): number | null {
  const turn = line.at(-1);
  if (!turn) return null;
  const made = { ...plan, summary, afterTokens: 0, model: null, usage: null, requests: 0, createdAt: turn.createdAt };
  const after = [...line.slice(0, -1), { ...turn, compactions: [...turn.compactions, made] }];
  const sizeOf = (turns: readonly HistoryTurn[]) => tokensOfRequest(transcriptOf(sentHistory(turns)), turn.config);
  const [now, then] = [sizeOf(line), sizeOf(after)];
  return then < now ? Math.min(plan.beforeTokens - 1, Math.ceil((plan.beforeTokens * then) / now)) : null;
}

function placeBefore(line: readonly HistoryTurn[], kept: number): Place | undefined {
  const places = line.flatMap(({ rounds }, index) => rounds.map(({ number }) => ({ index, round: number })));
  return places.at(-1 - kept);
}

function reached(line: readonly HistoryTurn[], strategy: CompactionStrategy): (Place | undefined)[] {
  const summarized = findInEffect(line, 'summarize')?.upTo;
  return strategy === 'summarize' ? [summarized] : [summarized, findInEffect(line, 'drop_tool_results')?.upTo];
}

function isBehind({ index, round }: Place, others: (Place | undefined)[]): boolean {
  return others.every((other) => !other || index > other.index || (index === other.index && round > other.round));
}

/** The turns that a compaction replaces, as they are sent until then, with the answers to calls that they handed over. */
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
