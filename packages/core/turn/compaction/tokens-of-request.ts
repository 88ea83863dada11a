import { callsOf } from '../call.ts';
import { transcriptOf } from '../history/transcript.ts';
import type { Message } from '../message.ts';
import { type InputItem, isMessage, type Part } from '../request/item.ts';
import type { TurnConfig } from '../request/turn.ts';
import { answerText, type ToolResult } from '../tool-result.ts';
import type { ToolCall, Turn } from '../turn.ts';
import { findInEffect, type HistoryTurn, sentHistory } from './sent-history.ts';

/** A rule of thumb: models count about one token for four bytes. */
const BYTES_PER_TOKEN = 4;
const PART_TOKENS = 1_000;
const MESSAGE_TOKENS = 4;

/** Estimates the tokens of a text. */
export function tokensOf(text: string): number {
  return bytesToTokens(Buffer.byteLength(text));
}

export function bytesToTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Estimates the tokens of messages, with the instructions and the tools of the request. */
export function tokensOfRequest(
  messages: readonly Message[],
  { instructions, tools }: Pick<TurnConfig, 'instructions' | 'tools'>,
): number {
  const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const fixed = tokensOf(instructions ?? '') + (tools.length > 0 ? tokensOf(JSON.stringify(offered)) : 0);
  return fixed + tokensOfMessages(messages);
}

export function tokensOfMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

/** Estimates the tokens of the next request from the last count of a provider, or null before the first count. */
export function tokensSinceCounted(thread: readonly HistoryTurn[]): number | null {
  const index = thread.findLastIndex(({ rounds }) => rounds.length > 0);
  const turn = thread[index];
  const round = turn?.rounds.at(-1);
  const compacted = latestCompaction(thread);
  const isLater = compacted?.owner === index && compacted.round > (round?.number ?? 0);
  if (compacted && (compacted.owner > index || isLater))
    return compacted.tokens + tokensOfBeginnings(thread.slice(compacted.owner + 1));
  if (!turn || !round?.usage || round.usage.input_tokens === 0) return null;
  // The requests of an emulated round have nearly the same history each.
  const used = Math.ceil(round.usage.input_tokens / round.requests) + round.usage.output_tokens;
  const later = tokensOfItems(turn.pendingInput) + tokensOfBeginnings(thread.slice(index + 1));
  return tokensOfResults(callsOf(turn, round.number), used) + later;
}

function tokensOfResult(result: ToolResult): number {
  return result.parts ? tokensOfContent(result.parts) : tokensOf(answerText(result));
}

function latestCompaction(thread: readonly HistoryTurn[]) {
  const both = [findInEffect(thread, 'summarize'), findInEffect(thread, 'drop_tool_results')];
  const [latest] = both
    .flatMap((found) => (found ? [found] : []))
    .sort((a, b) => b.owner - a.owner || b.compaction.round - a.compaction.round);
  return latest && { owner: latest.owner, round: latest.compaction.round, tokens: latest.compaction.afterTokens };
}

/** Estimates the tokens of turns without rounds: their inputs and the results of adopted calls. */
function tokensOfBeginnings(turns: readonly Pick<Turn, 'input' | 'pendingInput' | 'adopted'>[]): number {
  const items = tokensOfItems(turns.flatMap(({ input, pendingInput }) => [...input, ...pendingInput]));
  return tokensOfResults(
    turns.flatMap(({ adopted }) => adopted),
    items,
  );
}

function tokensOfResults(calls: readonly ToolCall[], before: number): number {
  return calls.reduce((sum, { result }) => sum + (result ? tokensOfResult(result) : 0), before);
}

function tokensOfItems(items: readonly InputItem[]): number {
  return items.reduce((sum, item) => sum + tokensOfItem(item), 0);
}

function tokensOfItem(item: InputItem): number {
  if (isMessage(item)) return MESSAGE_TOKENS + tokensOfContent(item.content);
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    return MESSAGE_TOKENS + tokensOfContent(item.output);
  return tokensOf(JSON.stringify(item));
}

function tokensOfMessage(message: Message): number {
  const text = MESSAGE_TOKENS + tokensOf(message.content ?? '');
  if (message.role !== 'assistant') return message.parts ? MESSAGE_TOKENS + tokensOfContent(message.parts) : text;
  return message.calls.reduce((sum, { name, arguments: args }) => sum + tokensOf(name + args), text);
}

function tokensOfContent(content: string | readonly Part[]): number {
  if (typeof content === 'string') return tokensOf(content);
  return content.reduce((sum, part) => sum + (part.type === 'input_text' ? tokensOf(part.text) : PART_TOKENS), 0);
}

/** A turn before its creation, which may follow a history. */
type NextTurn = { input: readonly InputItem[]; config: Pick<TurnConfig, 'instructions' | 'tools'> };

/** Estimates the tokens of the first request of a turn, from the last count of a provider if there is a count. */
export function estimateInput(history: readonly HistoryTurn[], { input, config }: NextTurn): number {
  const counted = tokensSinceCounted(history);
  if (counted !== null) return counted + tokensOfItems(input);
  const next = { id: '', config, input: [...input], adopted: [], rounds: [], pendingInput: [], output: null };
  const turns = [...sentHistory(history), { ...next, status: 'queued' as const, startedAt: null }];
  return tokensOfRequest(transcriptOf(turns), config);
}
