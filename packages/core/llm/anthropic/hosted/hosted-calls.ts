import type { HostedCall } from '../../../turn/hosted/hosted.ts';
import type { Delta } from '../../provider.ts';
import { fieldsIn } from '../../reply/fields.ts';
import { type Block, boundsOf, textAt } from '../block.ts';
import { calledType, hostedResult, resultType } from './hosted-result.ts';

type Call = Omit<HostedCall, 'offset'>;

/** `earlier` has the calls of earlier replies without a result. `isOpen`: calls may get results in the next reply. */
type Context = { earlier: readonly Block[]; isOpen: boolean };

/**
 * Returns the calls of hosted tools in a reply, in their order. The provider runs a call beside calls of functions
 * only after it has their results, so the reply with the result reports such a call.
 */
export function hostedCallsOf(blocks: readonly Block[], { earlier, isOpen }: Context): HostedCall[] {
  const bounds = boundsOf(blocks);
  const called = new Set(blocks.filter((block) => calledType(block) !== null).map(({ id }) => id));
  const results = new Map(blocks.filter(isResult).map((block) => [block.tool_use_id, block]));
  return blocks.flatMap((block, index) => {
    const isLate = isResult(block) && !called.has(block.tool_use_id);
    if (!isLate && calledType(block) === null) return [];
    const result = isLate ? block : results.get(block.id);
    const call = result || !isOpen ? endedCall(isLate ? callOf(block, earlier) : block, result) : null;
    return call?.id ? [{ ...call, offset: bounds[index]?.end ?? 0 }] : [];
  });
}

/** Returns the calls of a history that have no result yet. A caller may give the messages in any form. */
export function openCalls(messages: unknown): Block[] {
  const contents = Array.isArray(messages) ? messages.flatMap((message) => fieldsIn(message)?.content) : [];
  const blocks = contents.filter((block): block is Block => typeof fieldsIn(block)?.type === 'string');
  const answered = new Set(blocks.map(({ tool_use_id: id }) => id));
  return blocks.filter((block) => calledType(block) !== null && !answered.has(block.id));
}

/** Returns the delta of a call that starts, if the block is a call. A stream sends its input later. */
export function startDeltas(block: Block): Delta[] {
  const type = calledType(block);
  const id = textAt(block, 'id');
  if (type === null || !id) return [];
  const call: Call = { id, type, status: 'in_progress', input: inputOf(block), output: null, error: null };
  return [{ kind: 'hosted-call', text: '', call }];
}

/**
 * Returns the delta of a call that ends, if the block is a result. `own` is the call in the same reply. Without it,
 * the call of an earlier reply starts here, too.
 */
export function endDeltas(result: Block, own: Block | undefined, earlier: readonly Block[]): Delta[] {
  if (!isResult(result)) return [];
  const call = endedCall(own ?? callOf(result, earlier), result);
  if (!call?.id) return [];
  return [...(own ? [] : startDeltas(callOf(result, earlier))), { kind: 'hosted-call', text: '', call }];
}

const LOST = 'The reply ended before the tool had a result.';

/** Returns the deltas of the calls that a reply has left without a result. */
export function lostDeltas(calls: readonly HostedCall[]): Delta[] {
  const lost = calls.filter(({ error }) => error === LOST);
  return lost.map(({ offset: _, ...call }) => ({ kind: 'hosted-call', text: '', call }));
}

function isResult(block: Block): boolean {
  return resultType(block) !== null;
}

/** Returns the call of a result: the call of an earlier reply, or a call without an input. */
function callOf(result: Block, earlier: readonly Block[]): Block {
  const { tool_use_id: id } = result;
  return earlier.find((block) => block.id === id) ?? { type: 'server_tool_use', id, name: resultType(result) };
}

function endedCall(block: Block, result: Block | undefined): Call | null {
  const type = calledType(block);
  if (type === null) return null;
  const { output, error } = result ? hostedResult(result) : { output: null, error: LOST };
  const status = error === null ? 'completed' : 'failed';
  return { id: textAt(block, 'id'), type, status, input: inputOf(block), output, error };
}

function inputOf({ input }: Block): Call['input'] {
  const given = fieldsIn(input);
  return given && Object.keys(given).length > 0 ? given : null;
}
