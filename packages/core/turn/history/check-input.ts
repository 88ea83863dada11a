import { quote, shorten } from '../../text.ts';
import { isApprovalRequest } from '../call.ts';
import { type InputItem, isMessage } from '../request/item.ts';
import { requestIdOf } from '../responses/item-id.ts';
import { isAdded, isTerminal, type ToolCall, type Turn } from '../turn.ts';

/** A sentence about an input, with its field in OpenAI's spelling. `request` is an approval that is not open here. */
type InputProblem = { message: string; param: string; request?: string };

/**
 * Returns the calls that the next input may answer: handed-over calls of the last turn, and calls that a person must
 * allow. Returns none while that turn runs.
 */
export function openCalls(earlier: readonly Turn[]): { ofCaller: ToolCall[]; requests: ToolCall[] } {
  const last = earlier[askerIndex(earlier)];
  if (!last || !isTerminal(last.status)) return { ofCaller: [], requests: [] };
  const open = last.rounds.at(-1)?.calls.filter(({ result }) => result?.status === 'handed_over') ?? [];
  const isRequest = (call: ToolCall) => isApprovalRequest(last.config, call);
  return { ofCaller: open.filter((call) => !isRequest(call)), requests: open.filter(isRequest) };
}

/** Returns the index of the last turn with a model request. Later turns have only added items. */
function askerIndex(earlier: readonly Turn[]): number {
  return earlier.findLastIndex((turn) => !isAdded(turn));
}

/** `answered` has the ids of calls with outputs in the history. */
type InputRules = { mayStayOpen?: boolean; answered?: readonly string[] };

/**
 * Returns the first problem of an input after a history, or null. Each result needs an open call, and each call of a
 * completed turn needs its result, unless it `mayStayOpen`. Approval requests may stay unanswered. Both sentences
 * begin as OpenAI's do, since clients match them.
 */
export function checkInput(
  earlier: readonly Turn[],
  input: readonly InputItem[],
  rules: InputRules = {},
): InputProblem | null {
  return checkResults(earlier, input, rules) ?? checkApprovals(earlier, input);
}

function checkResults(
  earlier: readonly Turn[],
  input: readonly InputItem[],
  { mayStayOpen = false, answered: before = [] }: InputRules,
): InputProblem | null {
  const open = openBefore(earlier);
  const answered = new Set(before);
  for (const [index, item] of input.entries()) {
    const call = callOf(item);
    if (call?.kind === 'asked') open.push({ id: call.id, mayMiss: false });
    if (call?.kind !== 'answered') continue;
    const place = open.findLastIndex(({ id }) => id === call.id);
    if (place === -1) return unaskedFor(call.id, { index, isRepeated: answered.has(call.id) });
    open.splice(place, 1);
    answered.add(call.id);
  }
  const missing = open.find(({ mayMiss }) => !mayMiss && !mayStayOpen);
  return missing ? unanswered(missing.id) : null;
}

/** Returns the ids of the calls that a new input may answer by an output. An id occurs once for each open call. */
export function openOutputs(earlier: readonly Turn[]): string[] {
  return openBefore(earlier).map(({ id }) => id);
}

type OpenCall = { id: string; mayMiss: boolean };

/** Returns the calls that a new input may answer. Added items may answer calls and add others. */
function openBefore(earlier: readonly Turn[]): OpenCall[] {
  const asker = askerIndex(earlier);
  const mayMiss = earlier[asker]?.status !== 'completed';
  const open = openCalls(earlier).ofCaller.map(({ id }) => ({ id, mayMiss }));
  for (const item of earlier.slice(asker + 1).flatMap(({ input }) => input)) {
    const call = callOf(item);
    if (call?.kind === 'asked') open.push({ id: call.id, mayMiss: false });
    if (call?.kind !== 'answered') continue;
    const place = open.findLastIndex(({ id }) => id === call.id);
    if (place !== -1) open.splice(place, 1);
  }
  return open;
}

function checkApprovals(earlier: readonly Turn[], input: readonly InputItem[]): InputProblem | null {
  const asker = earlier[askerIndex(earlier)];
  const open = new Set(asker && openCalls(earlier).requests.map((call) => requestIdOf(asker.id, call)));
  const answered = new Set<string>();
  for (const [index, item] of input.entries()) {
    if (isMessage(item)) continue;
    if (item.type === 'mcp_approval_request') open.add(item.id);
    if (item.type !== 'mcp_approval_response') continue;
    const id = item.approval_request_id;
    const param = `input[${index}].approval_request_id`;
    if (answered.has(id)) return { message: `The request ${quote(id)} is answered twice. Answer it once.`, param };
    if (!open.delete(id))
      return { message: `No approval request with id ${quote(id)} is open here.`, param, request: id };
    answered.add(id);
  }
  return null;
}

type ItemCall = { kind: 'asked' | 'answered'; id: string };

/** Returns the call that an item requests or answers, or null if the item does neither or contains both. */
function callOf(item: InputItem): ItemCall | null {
  if (isMessage(item)) return null;
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return { kind: 'asked', id: item.call_id };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { kind: 'answered', id: item.call_id };
    case 'mcp_call':
    case 'mcp_approval_request':
    case 'mcp_approval_response':
    case 'hosted_call':
    case 'opaque_state':
    case 'compaction':
      return null;
  }
}

function unaskedFor(id: string, { index, isRepeated }: { index: number; isRepeated: boolean }): InputProblem {
  const param = `input[${index}].call_id`;
  if (isRepeated) return { message: answeredAlready(id), param };
  const found = `No tool call found for function call output with call_id ${shorten(id)}.`;
  return { message: `${found} Send the call before it, or leave the output out.`, param };
}

function answeredAlready(id: string): string {
  return `The call ${quote(id)} already has a different output. Leave this output out, or send the same output again.`;
}

function unanswered(id: string): InputProblem {
  const message = `No tool output found for function call ${shorten(id)}. Send a function_call_output with this call_id.`;
  return { message, param: 'input' };
}
