import { callsBefore, callsOf, isHandOver, isLooping, latestCalls } from './call.ts';
import { type LimitReason, reachedReason } from './limits.ts';
import type { RequestedCall } from './message.ts';
import { sumUsage } from './reply.ts';
import type { ToolCall, Turn } from './turn.ts';

/** Why a round is the last round: the turn reached a limit, or the model repeats a call. */
export type Final = LimitReason | 'repeated_call';

/** Returns why the next round is the last round, which may call no tool, or null if another round may follow. */
export function reachedLimit(turn: Pick<Turn, 'adopted' | 'rounds' | 'compactions' | 'config'>): Final | null {
  return reachedReason(turn, turn.config.limits) ?? (loopingCall(turn) ? 'repeated_call' : null);
}

/** Returns the call of the last batch that repeats the calls before it, if any. */
export function loopingCall(turn: Pick<Turn, 'adopted' | 'rounds'>): ToolCall | undefined {
  return latestCalls(turn).find((call) => isLooping(turn, call));
}

/** Returns the remaining output tokens of the turn, or null without a maximum. */
export function leftOutputTokens({ rounds, config }: Pick<Turn, 'rounds' | 'config'>): number | null {
  const most = config.max_total_output_tokens ?? null;
  return most === null ? null : Math.max(0, most - sumUsage(rounds.map(({ usage }) => usage)).output_tokens);
}

/**
 * Returns whether a call exceeds the turn's limit and gets the result `cancelled`. Calls of the caller do not count.
 */
export function isBeyondLimit(
  turn: Pick<Turn, 'adopted' | 'rounds' | 'config'>,
  call: Pick<ToolCall, 'round' | 'index'>,
  siblings: readonly Pick<RequestedCall, 'name'>[] = callsOf(turn, call.round),
): boolean {
  const { tools, limits } = turn.config;
  const before = callsBefore(turn, call, siblings).filter(({ name }) => !isHandOver(tools, name));
  return before.length >= limits.max_tool_calls;
}
