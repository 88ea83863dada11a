import { isLooping } from './is-looping.ts';
import type { IncompleteReason, ToolCall, Turn } from './turn.ts';
import { sumUsage } from './usage.ts';

/** Why a round is the last one: a limit is used up, or the model repeats one call for ever. */
export type Final = IncompleteReason | 'repeated_call';

/** What the committed rounds make the next round the last one for, asked without tools. */
export function reachedLimit(turn: Pick<Turn, 'rounds' | 'config'>): Final | null {
  return usedUp(turn) ?? (loopingCall(turn) ? 'repeated_call' : null);
}

function usedUp({ rounds, config: { limits } }: Pick<Turn, 'rounds' | 'config'>): IncompleteReason | null {
  const withCalls = rounds.filter((round) => round.calls.length > 0);
  const calls = withCalls.reduce((sum, round) => sum + round.calls.length, 0);
  const tokens = sumUsage(rounds.map((round) => round.usage)).total_tokens;
  if (calls > limits.max_tool_calls) return 'max_tool_calls';
  if (withCalls.length >= limits.max_rounds) return 'max_rounds';
  if (limits.max_total_tokens !== null && tokens >= limits.max_total_tokens) return 'max_total_tokens';
  return null;
}

/** The call of the last round that went on repeating itself, if one did. */
export function loopingCall({ rounds }: Pick<Turn, 'rounds'>): ToolCall | undefined {
  return rounds.at(-1)?.calls.find((call) => isLooping({ rounds }, call));
}

/** Whether a call comes after the turn's last allowed one; it is answered `cancelled` and never runs. */
export function isBeyondLimit(
  { rounds, config }: Pick<Turn, 'rounds' | 'config'>,
  call: Pick<ToolCall, 'round' | 'index'>,
): boolean {
  const before = rounds
    .filter((round) => round.number < call.round)
    .reduce((sum, round) => sum + round.calls.length, 0);
  return before + call.index >= config.limits.max_tool_calls;
}
