import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../json.ts';
import type { RequestedCall } from './message.ts';
import type { TurnTool } from './request/tool.ts';
import type { TurnConfig } from './request/turn.ts';
import type { ToolCall, Turn } from './turn.ts';

/** Gives calls ids that every wire takes: a missing, malformed or used one becomes a fresh `call_…` (contract: Tool). */
export function assignCallIds(calls: RequestedCall[], turn: Calls): RequestedCall[] {
  const used = new Set(allCalls(turn).map(({ id }) => id));
  return calls.map((call) => {
    const id =
      /^[a-zA-Z0-9_-]{1,64}$/.test(call.id) && !used.has(call.id) ? call.id : `call_${randomBytes(12).toString('hex')}`;
    used.add(id);
    return { ...call, id };
  });
}

type Calls = { adopted: Turn['adopted']; rounds: Pick<Turn['rounds'][number], 'number' | 'calls'>[] };

/** All calls of a turn, in order. */
export function allCalls({ adopted, rounds }: Calls): ToolCall[] {
  return [...adopted, ...rounds.flatMap(({ calls }) => calls)];
}

/** The calls of one batch of a turn; those that it adopted are batch 0. */
export function callsOf({ adopted, rounds }: Calls, round: number | null): ToolCall[] {
  return round === 0 ? adopted : (rounds.find(({ number }) => number === round)?.calls ?? []);
}

/** The calls of a turn's last batch: those of its last round, or before the first one those that it adopted. */
export function latestCalls({ adopted, rounds }: Calls): ToolCall[] {
  return rounds.at(-1)?.calls ?? adopted;
}

/** The tools by which a call is run: those of its turn, or the one of the turn that asked for it (contract-responses R35). */
export function toolsFor(
  { tools, adopted_tools = [] }: Pick<TurnConfig, 'tools' | 'adopted_tools'>,
  { round, index }: Pick<ToolCall, 'round' | 'index'>,
): TurnTool[] {
  return round === 0 ? adopted_tools.slice(index, index + 1) : tools;
}

/** Whether the caller answers calls of this name in the input of a later turn (contract-responses R31). */
export function isHandOver(tools: readonly TurnTool[], name: string): boolean {
  return tools.some((tool) => tool.name === name && tool.handOver !== undefined);
}

/** Whether a call was handed over for a person to allow in a later turn, which runs it then (contract-responses R35). */
export function isApprovalRequest({ tools }: Pick<TurnConfig, 'tools'>, { name, result }: ToolCall): boolean {
  const isOurs = tools.some((tool) => tool.name === name && tool.handOver === undefined);
  return result?.status === 'handed_over' && isOurs;
}

/** The key by which a tool knows a call; it stays the same in every try (R13). */
export function idempotencyKey(turnId: string, { round, id }: Pick<ToolCall, 'round' | 'id'>): string {
  return `${turnId}.${round}.${id}`;
}

/** So many equal calls in a row, by name and arguments, are a loop. */
export const MAX_SAME_CALLS = 10;

/**
 * Whether a call repeats the calls right before it, or its `siblings`, often enough to be a loop that ends the turn.
 */
export function isLooping(
  turn: Calls,
  call: RequestedCall & { round: number; index: number },
  siblings: RequestedCall[] = callsOf(turn, call.round),
): boolean {
  const before = callsBefore(turn, call, siblings).slice(1 - MAX_SAME_CALLS);
  if (before.length < MAX_SAME_CALLS - 1 || before.some(({ name }) => name !== call.name)) return false;
  const same = canonicalArguments(call.arguments);
  return before.every((earlierCall) => canonicalArguments(earlierCall.arguments) === same);
}

/** The calls of a turn before one: of earlier batches, and the `siblings` before it. */
export function callsBefore<Sibling extends Pick<RequestedCall, 'name'>>(
  turn: Calls,
  { round, index }: Pick<ToolCall, 'round' | 'index'>,
  siblings: readonly Sibling[],
): (ToolCall | Sibling)[] {
  return [...allCalls(turn).filter((call) => call.round < round), ...siblings.slice(0, index)];
}

/** The arguments that a call runs with: those that a person allowed, or else the model's own (R39). */
export function argumentsToRun({ arguments: asked, approval }: Pick<ToolCall, 'arguments' | 'approval'>): string {
  return approval?.arguments ?? asked;
}

/** A call's arguments in one spelling, so that calls that mean the same are equal. An empty text means no arguments. */
export function canonicalArguments(text: string): string {
  return canonicalJson(text || '{}');
}
