import { FRESH } from './after-round.ts';
import type { ToolResult } from './tool-result.ts';
import type { Turn } from './turn.ts';

/**
 * The turn that the committed results of a whole batch make owe its next round, as it would be read now. Null where a
 * call of the batch has no result among them, or an answer of somebody else: then it has to be read (R3).
 */
export function afterBatch(turn: Turn, results: ReadonlyMap<number, ToolResult>): Turn | null {
  const round = turn.rounds.at(-1);
  if (
    !round ||
    round.calls.some(({ index, waitsFor, result }) => waitsFor !== null || !(result ?? results.get(index)))
  ) {
    return null;
  }
  const completedAt = new Date().toISOString();
  const calls = round.calls.map((call) =>
    call.result ? call : { ...call, result: results.get(call.index) ?? null, completedAt },
  );
  const work = { ...turn.work, ...FRESH, step: `r${round.number + 1}` };
  return { ...turn, rounds: [...turn.rounds.slice(0, -1), { ...round, calls }], work };
}
