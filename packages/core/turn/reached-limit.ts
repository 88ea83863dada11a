import { isLooping } from './call.ts';
import { type LimitReason, reachedReason } from './limits.ts';
import type { ToolCall, Turn } from './turn.ts';

/** Why a round is the last one: a limit is reached, or the model repeats one call again and again. */
export type Final = LimitReason | 'repeated_call';

/** What the committed rounds make the next round the last one for, asked without tools. */
export function reachedLimit({ rounds, config }: Pick<Turn, 'rounds' | 'config'>): Final | null {
  return reachedReason(rounds, config.limits) ?? (loopingCall({ rounds }) ? 'repeated_call' : null);
}

/** The call of the last round that repeats the calls before it, if one does. */
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
