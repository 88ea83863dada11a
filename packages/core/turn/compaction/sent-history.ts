import { type InputItem, isMessage } from '../request/item.ts';
import { answerText, type ToolResult } from '../tool-result.ts';
import type { ToolCall, Turn } from '../turn.ts';
import type { Compaction, CompactionStrategy } from './compaction.ts';

/** A turn of a history, and how much of it callers have deleted: itself, or items of it. */
export type HistoryTurn = Turn & { leftOut: number };

/** Up to which round of which turn a history is replaced; the turn by its place in the line. */
export type Place = { index: number; round: number };

/** A compaction that shapes what is sent: where in the line the turn is for whose round it was made, and up to where it reaches. */
type InEffect = { compaction: Compaction; owner: number; upTo: Place };

/**
 * The turns of a line as a model is sent them, with the latest summary and notes for dropped results. The input of
 * the turn stays. A summary counts only while nothing that it covers was deleted (R23).
 */
export function sentHistory(line: readonly HistoryTurn[]): Turn[] {
  const dropped = findInEffect(line, 'drop_tool_results');
  const summarized = findInEffect(line, 'summarize');
  const shortened = dropped ? dropResults(line, dropped) : [...line];
  return summarized ? replaceBySummary(shortened, summarized) : shortened;
}

/** A turn as callers see it: of one that was deleted, which what stands on it is still told of, nothing. */
export function withoutHidden(turn: HistoryTurn): HistoryTurn {
  return turn.hidden ? { ...turn, input: [], adopted: [], rounds: [], pendingInput: [], output: null } : turn;
}

/** The latest compaction of one kind that shapes what is sent. */
export function findInEffect(line: readonly HistoryTurn[], strategy: CompactionStrategy): InEffect | undefined {
  for (const [owner, turn] of [...line.entries()].reverse()) {
    for (const compaction of turn.compactions.toReversed()) {
      if (compaction.strategy !== strategy) continue;
      const index = line.findIndex(({ id }) => id === compaction.upToTurn);
      const isHere = index !== -1 && index <= owner;
      if (isHere && isSent(compaction, line.slice(0, index + 1)))
        return { compaction, owner, upTo: { index, round: compaction.upToRound } };
    }
  }
  return undefined;
}

/** How much has been deleted of turns. */
export function leftOutOf(turns: readonly Pick<HistoryTurn, 'leftOut'>[]): number {
  return turns.reduce((sum, { leftOut }) => sum + leftOut, 0);
}

function isSent(compaction: Compaction, covered: readonly HistoryTurn[]): boolean {
  const { strategy, summary, leftOut } = compaction;
  if (strategy === 'drop_tool_results') return replacesAny(compaction);
  return summary !== null && leftOut === leftOutOf(covered);
}

/** Whether a compaction makes the history shorter, or is only the note that none was possible. */
export function replacesAny({ strategy, summary, beforeTokens, afterTokens }: Compaction): boolean {
  return strategy === 'drop_tool_results' ? afterTokens < beforeTokens : summary !== null;
}

/** Returns the message by which a model reads a summary in the place of a history. */
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

/** The results of calls up to a place as a note, wherever they stand: with their rounds, or in the input behind them. */
function dropResults(line: readonly Turn[], { owner, upTo }: InEffect): Turn[] {
  return line.map((turn, index) => {
    if (index > upTo.index + 1) return turn;
    const rounds = turn.rounds.map((round) => {
      const isCovered = index < upTo.index || (index === upTo.index && round.number <= upTo.round);
      return isCovered ? { ...round, calls: round.calls.map(withoutResult) } : round;
    });
    const isAnswering = index <= upTo.index || isWholly(line[upTo.index], upTo.round);
    if (!isAnswering || index === owner) return index > upTo.index ? turn : { ...turn, rounds };
    return { ...turn, rounds, input: turn.input.map(withoutOutput), adopted: turn.adopted.map(withoutResult) };
  });
}

/** Whether no round of a turn is behind this one. */
export function isWholly(turn: Pick<Turn, 'rounds'> | undefined, round: number): boolean {
  return turn?.rounds.every(({ number }) => number <= round) ?? false;
}

/** What went wrong with a call stays: it is short, and tells the model what not to try again. */
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
