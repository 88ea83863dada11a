import { allCalls, canonicalArguments } from '../call.ts';
import type { RequestedCall } from '../message.ts';
import { errorResult, type ToolResult } from '../tool-result.ts';
import type { Approval, Turn } from '../turn.ts';

/**
 * A recorded call with its result. If `approval` is set, a person changed the arguments, and the result is for the
 * changed arguments.
 */
export type RecordedResult = Pick<RequestedCall, 'name' | 'arguments'> & {
  result: ToolResult;
  fullOutput: string | null;
  approval?: Approval | null;
};

/** The recorded result of a rerun's call, saved with its round. Null if the call runs. */
export type ReusedResult = Pick<RecordedResult, 'result' | 'fullOutput' | 'approval'> | null;

type Requested = RequestedCall & { effect: string };

/**
 * Returns the known results of a rerun's calls. The k-th equal call gets the k-th recorded result, later calls the
 * last result. An unrecorded `at_most_once` call is denied (R38).
 */
export function reuseResults(
  turn: Pick<Turn, 'adopted' | 'rounds'>,
  requested: readonly Requested[],
  recorded: readonly RecordedResult[],
): ReusedResult[] {
  const results = Map.groupBy(recorded, keyOf);
  const made = Map.groupBy(allCalls({ ...turn, adopted: [] }), keyOf);
  const asked = new Map([...made].map(([key, calls]) => [key, calls.length]));
  return requested.map((call) => {
    const key = keyOf(call);
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    const known = results.get(key);
    const found = known?.[before] ?? known?.at(-1);
    if (found) return reusedFrom(found);
    return call.effect === 'at_most_once' ? { result: NOT_RECORDED, fullOutput: null } : null;
  });
}

function reusedFrom({ result, fullOutput, approval = null }: RecordedResult): ReusedResult {
  return { result: { ...result, cached: true, duration_ms: 0, attempts: 0 }, fullOutput, approval };
}

function keyOf({ name, arguments: args }: Pick<RequestedCall, 'name' | 'arguments'>): string {
  return JSON.stringify([name, canonicalArguments(args)]);
}

const NOT_RECORDED = errorResult({
  category: 'permission_denied',
  message:
    'This turn runs another one again, which made no such call. A call that may be made only once is not made here.',
  details: {},
});
