import { canonicalText } from '../../json.ts';
import { mapParts, shownContent } from '../parts/part-data.ts';
import { takeInline } from '../parts/take-inline.ts';
import { type InputItem, isMessage } from '../request/item.ts';
import type { Turn } from '../turn.ts';
import { openOutputs } from './check-input.ts';

/** The output of a call that the caller has answered. */
export type CallOutput = Extract<InputItem, { type: 'function_call_output' | 'custom_tool_call_output' }>;

/** Returns the ids of calls with more outputs than open calls. Such outputs are repeated, or the input is wrong. */
export function surplusOutputs(earlier: readonly Turn[], input: readonly InputItem[]): string[] {
  return [...surplusOf(earlier, input)].flatMap(([id, count]) => (count > 0 ? [id] : []));
}

/**
 * Returns the indexes of outputs that equal an earlier output of the same call. An output first answers an open call
 * of its id, as models reuse ids. Only the surplus can be repeated.
 */
export function repeatedOutputs(
  earlier: readonly Turn[],
  input: readonly InputItem[],
  given: readonly CallOutput[],
): Set<number> {
  const surplus = surplusOf(earlier, input);
  const repeated = new Set<number>();
  const known = new Set(given.map(spellingOf));
  for (const [index, item] of input.entries()) {
    if (!isOutput(item)) continue;
    const left = surplus.get(item.call_id) ?? 0;
    if (left <= 0) continue;
    const spelling = spellingOf(item);
    if (known.has(spelling)) {
      repeated.add(index);
      surplus.set(item.call_id, left - 1);
    }
    known.add(spelling);
  }
  return repeated;
}

/** Returns how many outputs an input has for each call id beyond the open calls of this id. */
function surplusOf(earlier: readonly Turn[], input: readonly InputItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (id: string, by: number) => counts.set(id, (counts.get(id) ?? 0) + by);
  for (const id of openOutputs(earlier)) add(id, -1);
  for (const item of input) {
    if (isOutput(item)) add(item.call_id, 1);
    else if (isCall(item)) add(item.call_id, -1);
  }
  return counts;
}

function isOutput(item: InputItem): item is CallOutput {
  return !isMessage(item) && (item.type === 'function_call_output' || item.type === 'custom_tool_call_output');
}

function isCall(item: InputItem): item is Extract<InputItem, { type: 'function_call' | 'custom_tool_call' }> {
  return !isMessage(item) && (item.type === 'function_call' || item.type === 'custom_tool_call');
}

/** Spells an output so that equal outputs have equal spellings, whether their data is inline or in a blob. */
function spellingOf(item: CallOutput): string {
  const [taken = item] = mapParts([item], ({ part }) => {
    const inline = takeInline(part);
    return inline && 'part' in inline ? inline.part : part;
  });
  const output = 'output' in taken && taken.output !== null ? shownContent(taken.output) : null;
  return canonicalText([item.call_id, output]) ?? '';
}
