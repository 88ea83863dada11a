import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../json.ts';
import type { RequestedCall } from './message.ts';
import type { TurnTool } from './request/tool.ts';
import type { TurnConfig } from './request/turn.ts';
import type { ToolCall, Turn } from './turn.ts';

/** Gives calls ids that every wire takes. A missing, malformed or used id becomes a fresh `call_…`. */
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

/** Returns all calls of a turn, in order. */
export function allCalls({ adopted, rounds }: Calls): ToolCall[] {
  return [...adopted, ...rounds.flatMap(({ calls }) => calls)];
}

/** Returns the calls of one batch of a turn. Adopted calls are batch 0. */
export function callsOf({ adopted, rounds }: Calls, round: number | null): ToolCall[] {
  return round === 0 ? adopted : (rounds.find(({ number }) => number === round)?.calls ?? []);
}

/** Returns the calls of a turn's last round, or the adopted calls before the first round. */
export function latestCalls({ adopted, rounds }: Calls): ToolCall[] {
  return rounds.at(-1)?.calls ?? adopted;
}

/**
 * Returns the tools that run a call: the tools of its turn, or the tool of the turn that requested an adopted call.
 */
export function toolsFor(
  { tools, adopted_tools = [] }: Pick<TurnConfig, 'tools' | 'adopted_tools'>,
  { round, index }: Pick<ToolCall, 'round' | 'index'>,
): TurnTool[] {
  return round === 0 ? adopted_tools.slice(index, index + 1) : tools;
}

/** Returns whether the caller answers calls of this name in the input of a later turn. */
export function isHandOver(tools: readonly TurnTool[], name: string): boolean {
  return tools.some((tool) => tool.name === name && tool.handOver !== undefined);
}

/** Returns whether a call was handed over to a person. If the person allows it in a later turn, that turn runs it. */
export function isApprovalRequest({ tools }: Pick<TurnConfig, 'tools'>, { name, result }: ToolCall): boolean {
  const isOurs = tools.some((tool) => tool.name === name && tool.handOver === undefined);
  return result?.status === 'handed_over' && isOurs;
}

/** Returns the key that identifies a call to its tool. The key is the same in every attempt (R13). */
export function idempotencyKey(turnId: string, { round, id }: Pick<ToolCall, 'round' | 'id'>): string {
  return `${turnId}.${round}.${id}`;
}

/** The number of consecutive calls with equal name and arguments that counts as a loop. */
export const MAX_SAME_CALLS = 10;

/**
 * Returns whether a call repeats the calls or `siblings` right before it often enough to be a loop, which ends the
 * turn.
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

/** Returns the calls of a turn before a call: of earlier batches, and the `siblings` before it. */
export function callsBefore<Sibling extends Pick<RequestedCall, 'name'>>(
  turn: Calls,
  { round, index }: Pick<ToolCall, 'round' | 'index'>,
  siblings: readonly Sibling[],
): (ToolCall | Sibling)[] {
  return [...allCalls(turn).filter((call) => call.round < round), ...siblings.slice(0, index)];
}

/** Returns the arguments that a call runs with: those that a person allowed, or else the model's own (R39). */
export function argumentsToRun({ arguments: asked, approval }: Pick<ToolCall, 'arguments' | 'approval'>): string {
  return approval?.arguments ?? asked;
}

/** Returns a call's arguments in one spelling, so that equivalent calls are equal. An empty text means no arguments. */
export function canonicalArguments(text: string): string {
  return canonicalJson(text || '{}');
}
