import { callsBefore, callsOf, isHandOver, isLooping, latestCalls } from './call.ts';
import { type LimitReason, reachedReason } from './limits.ts';
import type { RequestedCall } from './message.ts';
import { sumUsage } from './reply.ts';
import type { ToolCall, Turn } from './turn.ts';

/** Why a round is the last one: a limit is reached, or the model repeats one call again and again. */
export type Final = LimitReason | 'repeated_call';

/** The reason for which the next round is the last one and may call no tool; null if the committed rounds give none. */
export function reachedLimit(turn: Pick<Turn, 'adopted' | 'rounds' | 'compactions' | 'config'>): Final | null {
  return reachedReason(turn, turn.config.limits) ?? (loopingCall(turn) ? 'repeated_call' : null);
}

/** The call of the last batch that repeats the calls before it, if one does. */
export function loopingCall(turn: Pick<Turn, 'adopted' | 'rounds'>): ToolCall | undefined {
  return latestCalls(turn).find((call) => isLooping(turn, call));
}

/** The rest of the output tokens of all rounds; null without a bound (contract-responses, max_output_tokens). */
export function leftOutputTokens({ rounds, config }: Pick<Turn, 'rounds' | 'config'>): number | null {
  const most = config.max_total_output_tokens ?? null;
  return most === null ? null : Math.max(0, most - sumUsage(rounds.map(({ usage }) => usage)).output_tokens);
}

/** Whether a call is beyond the turn's limit and so is answered `cancelled`. Calls of the caller do not count. */
export function isBeyondLimit(
  turn: Pick<Turn, 'adopted' | 'rounds' | 'config'>,
  call: Pick<ToolCall, 'round' | 'index'>,
  siblings: readonly Pick<RequestedCall, 'name'>[] = callsOf(turn, call.round),
): boolean {
  const { tools, limits } = turn.config;
  const before = callsBefore(turn, call, siblings).filter(({ name }) => !isHandOver(tools, name));
  return before.length >= limits.max_tool_calls;
}
