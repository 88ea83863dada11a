import { type InputItem, isMessage } from '../request/item.ts';
import { answerText, type ToolResult } from '../tool-result.ts';
import type { ToolCall, Turn } from '../turn.ts';
import type { Compaction, CompactionStrategy } from './compaction.ts';

/** A turn of a history, with the number of its deletions: of the turn itself or of its items. */
export type HistoryTurn = Turn & { leftOut: number };

/** The last replaced round of a history. `index` is the index of its turn in the history. */
export type Place = { index: number; round: number };

/**
 * A compaction that shapes requests. `owner` is the index of the turn that created it, `upTo` the end of its range.
 */
type InEffect = { compaction: Compaction; owner: number; upTo: Place };

/**
 * Returns the turns of a thread for a request to a model, with the latest summary and notes for dropped results. The
 * input of the last turn stays. A summary counts only if no turn or item in its range was deleted since (R23).
 */
export function sentHistory(thread: readonly HistoryTurn[]): Turn[] {
  const dropped = findInEffect(thread, 'drop_tool_results');
  const summarized = findInEffect(thread, 'summarize');
  const shortened = dropped ? dropResults(thread, dropped) : [...thread];
  return summarized ? replaceBySummary(shortened, summarized) : shortened;
}

/** Returns a turn as callers see it: a deleted turn is empty, although later requests may still contain it. */
export function withoutHidden(turn: HistoryTurn): HistoryTurn {
  return turn.hidden ? { ...turn, input: [], adopted: [], rounds: [], pendingInput: [], output: null } : turn;
}

/** Returns the latest compaction of a strategy that shapes requests. */
export function findInEffect(thread: readonly HistoryTurn[], strategy: CompactionStrategy): InEffect | undefined {
  for (const [owner, turn] of [...thread.entries()].reverse()) {
    for (const compaction of turn.compactions.toReversed()) {
      if (compaction.strategy !== strategy) continue;
      const index = thread.findIndex(({ id }) => id === compaction.upToTurn);
      const isHere = index !== -1 && index <= owner;
      if (isHere && isSent(compaction, thread.slice(0, index + 1)))
        return { compaction, owner, upTo: { index, round: compaction.upToRound } };
    }
  }
  return undefined;
}

export function leftOutOf(turns: readonly Pick<HistoryTurn, 'leftOut'>[]): number {
  return turns.reduce((sum, { leftOut }) => sum + leftOut, 0);
}

function isSent(compaction: Compaction, covered: readonly HistoryTurn[]): boolean {
  const { strategy, summary, leftOut } = compaction;
  if (strategy === 'drop_tool_results') return replacesAny(compaction);
  return summary !== null && leftOut === leftOutOf(covered);
}

/**
 * Returns whether a compaction makes the history shorter. Otherwise it only records that no compaction was possible.
 */
export function replacesAny({ strategy, summary, beforeTokens, afterTokens }: Compaction): boolean {
  return strategy === 'drop_tool_results' ? afterTokens < beforeTokens : summary !== null;
}

/** Returns the message with the summary that replaces a history. */
export function summaryMessage(summary: string) {
  return { role: 'user' as const, content: `${OPENING}\n\n${summary}` };
}

const OPENING = 'Summary of the conversation so far, which stands in its place:';

function replaceBySummary(turns: Turn[], { compaction, owner, upTo }: InEffect): Turn[] {
  const message = summaryMessage(compaction.summary ?? '');
  const isOwn = upTo.index === owner;
  const rest = turns.slice(upTo.index).flatMap((turn, index) => {
    if (index > 0) return [turn];
    const rounds = turn.rounds.filter(({ number }) => number > upTo.round);
    if (isOwn) return [{ ...turn, rounds }];
    return rounds.length > 0 ? [{ ...turn, rounds, input: [], adopted: [] }] : [];
  });
  const [first, ...later] = rest;
  return first ? [{ ...first, input: [message, ...first.input] }, ...later] : [];
}

const NOTE = '(dropped to make room)';

/** Replaces results of calls up to a position with notes, both in rounds and in the following inputs. */
function dropResults(thread: readonly Turn[], { owner, upTo }: InEffect): Turn[] {
  return thread.map((turn, index) => {
    if (index > upTo.index + 1) return turn;
    const rounds = turn.rounds.map((round) => {
      const isCovered = index < upTo.index || (index === upTo.index && round.number <= upTo.round);
      return isCovered ? { ...round, calls: round.calls.map(withoutResult) } : round;
    });
    const isAnswering = index <= upTo.index || isWholly(thread[upTo.index], upTo.round);
    if (!isAnswering || index === owner) return index > upTo.index ? turn : { ...turn, rounds };
    return { ...turn, rounds, input: turn.input.map(withoutOutput), adopted: turn.adopted.map(withoutResult) };
  });
}

/** Returns whether a turn has no round after this round. */
export function isWholly(turn: Pick<Turn, 'rounds'> | undefined, round: number): boolean {
  return turn?.rounds.every(({ number }) => number <= round) ?? false;
}

/** Keeps errors of calls: they are short, and keep the model from trying the same again. */
function withoutResult(call: ToolCall): ToolCall {
  const { result } = call;
  if (result?.status !== 'success') return call;
  const { parts, ...plain } = result;
  if (!parts && answerText(result).length <= NOTE.length) return call;
  const dropped: ToolResult = { ...plain, content: NOTE, truncated: true };
  return { ...call, result: dropped };
}

function withoutOutput(item: InputItem): InputItem {
  if (isMessage(item)) return item;
  switch (item.type) {
    case 'function_call_output':
    case 'custom_tool_call_output':
      return isLong(item.output) ? { ...item, output: NOTE } : item;
    case 'mcp_call':
      return isLong(item.output ?? '') ? { ...item, output: NOTE } : item;
    default:
      return item;
  }
}

function isLong(output: string | readonly unknown[]): boolean {
  return typeof output !== 'string' || output.length > NOTE.length;
}
