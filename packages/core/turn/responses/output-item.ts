import { isRecord, parseJson } from '../../json.ts';
import { toolsFor } from '../call.ts';
import type { Annotation } from '../hosted/hosted.ts';
import { allowingItems } from '../request/item.ts';
import { labelledTool } from '../request/labelled-tool.ts';
import { answerText } from '../tool-result.ts';
import { isTerminal, type Round, type ToolCall, type Turn } from '../turn.ts';
import { type HostedItem, hostedItem, imagesByCall, looseImages, mayRunHosted } from './hosted/hosted-item.ts';
import { type OutputAnnotation, outputAnnotations } from './hosted/output-annotation.ts';
import { itemIdOf, requestIdOf } from './item-id.ts';
import { isRefused } from './status.ts';

/** A part of a message from the model: its text, or the refusal after the text. */
export type OutputPart =
  | { type: 'output_text'; text: string; annotations: OutputAnnotation[]; logprobs: never[] }
  | { type: 'refusal'; refusal: string };

/** One item of a response's output, in OpenAI's shape. */
export type OutputItem =
  | { id: string; type: 'reasoning'; summary: { type: 'summary_text'; text: string }[]; encrypted_content?: string }
  | { id: string; type: 'message'; role: 'assistant'; status: 'completed' | 'incomplete'; content: OutputPart[] }
  | (CallerCall & { type: 'function_call'; arguments: string })
  | (CallerCall & { type: 'custom_tool_call'; input: string })
  | {
      id: string;
      type: 'mcp_call';
      status: 'in_progress' | 'completed' | 'failed';
      server_label: string;
      name: string;
      arguments: string;
      output: string | null;
      error: ReturnType<typeof executionError> | null;
      approval_request_id: string | null;
    }
  | { id: string; type: 'mcp_approval_request'; server_label: string; name: string; arguments: string }
  | HostedItem;

/** A call that the caller answers. `namespace`: the caller's namespace of the tool, if any. */
type CallerCall = { id: string; status: 'completed'; call_id: string; name: string; namespace?: string };

/** Returns the output of a response so far, in order. The index of an item is its `output_index`. */
export function outputItems(turn: Turn): OutputItem[] {
  return [...adoptedItems(turn), ...turn.rounds.flatMap((round) => roundItems(turn, round))];
}

/** Returns the calls of earlier responses that a response runs first, because a person allowed them. */
export function adoptedItems(turn: Turn): McpCall[] {
  return turn.adopted.map((call) => mcpCall(turn, call));
}

/**
 * Returns the items of a committed round. Later only the results of calls that Pawl runs change.
 * - its reasoning, if the caller asked for reasoning or for the state of its provider
 * - its calls that the provider ran. They follow the message if the turn has no hosted tools, because such a message
 *   may have been streamed before.
 * - its message, if it has text or a refusal
 * - its images without a call
 * - its other calls, in the model's order
 */
export function roundItems(turn: Turn, round: Round): OutputItem[] {
  const place = { kind: 'round' as const, round: round.number, call: null };
  const whole = textOfRound(turn, round);
  const content = partsOf(whole, refusalStart(round, whole), round.hosted?.annotations);
  const status = isCutShort(turn, round) ? ('incomplete' as const) : ('completed' as const);
  const message = { id: itemIdOf(turn.id, { ...place, prefix: 'msg' }), type: 'message' as const };
  const spoken = content.length > 0 ? [{ ...message, role: 'assistant' as const, status, content }] : [];
  const hosted = hostedItems(turn, round);
  return [
    ...reasoningOf(turn, round),
    ...(mayRunHosted(turn) ? [...hosted, ...spoken] : [...spoken, ...hosted]),
    ...looseImages(turn, round),
    ...round.calls.map((call) => callItem(turn, call)),
  ];
}

function hostedItems(turn: Turn, { number: round, hosted }: Round): HostedItem[] {
  if (!hosted) return [];
  const { byCall } = imagesByCall(hosted);
  return hosted.calls.map((call, index) => hostedItem(turn, call, { round, call: index, image: byCall.get(index) }));
}

/** Returns whether an item is a call that the provider ran. */
export function isHostedItem(item: OutputItem): item is HostedItem {
  return HOSTED.has(item.type);
}

const HOSTED: ReadonlySet<OutputItem['type']> = new Set([
  ...(['web_search_call', 'code_interpreter_call', 'file_search_call', 'image_generation_call'] as const),
]);

/** Returns whether the caller of a turn asked for reasoning summaries. */
export function showsReasoning({ config }: Pick<Turn, 'config'>): boolean {
  return (config.response?.reasoning.summary ?? null) !== null;
}

/** The value of `include` that asks for the sealed state of the provider. */
const STATE = 'reasoning.encrypted_content';

/** Returns whether `include` asks for the state of the provider. */
export function includesState(include: readonly string[]): boolean {
  return include.includes(STATE);
}

/**
 * Returns whether each round of a turn begins with its sealed state, as its caller asked. A round without state has a
 * number for it too, since the log must assign the number before the state is known.
 */
export function handsOutState({ config }: Pick<Turn, 'config'>): boolean {
  return includesState(config.response?.include ?? []);
}

/**
 * Returns the text of a committed round with its refusal. The text of an ended turn's last round is the turn's
 * output.
 */
export function textOfRound(turn: Turn, round: Round): string {
  const isLast = round.number === turn.rounds.length;
  return round.text ?? (isLast && isTerminal(turn.status) ? turn.output : null) ?? '';
}

/**
 * Returns the UTF-16 unit of a round's text at which its refusal begins, or null if the model did not refuse. A
 * refusal without words is empty, after the text.
 */
export function refusalStart({ refusalFrom, finishReason }: Round, whole: string): number | null {
  return refusalFrom ?? (finishReason === 'refusal' ? whole.length : null);
}

/** Returns the parts of a text. Its refusal begins at the unit `refusedAt`, or `refusedAt` is null. */
export function partsOf(
  whole: string,
  refusedAt: number | null,
  annotations: readonly Annotation[] = [],
): OutputPart[] {
  const text = whole.slice(0, refusedAt ?? whole.length);
  return [
    ...(text === ''
      ? []
      : [{ type: 'output_text' as const, text, annotations: outputAnnotations(annotations, text), logprobs: [] }]),
    ...(refusedAt === null ? [] : [{ type: 'refusal' as const, refusal: whole.slice(refusedAt) }]),
  ];
}

/**
 * Returns whether a round's text is the partial answer of an incomplete turn. Texts of rounds with calls, and of
 * answers before a joined input, were sent as complete. Such rounds have their own text.
 */
function isCutShort(turn: Turn, { number, calls, text }: Round): boolean {
  const isAnswer = number === turn.rounds.length && calls.length === 0 && text === null;
  return isAnswer && turn.status === 'incomplete' && !isRefused(turn);
}

function reasoningOf(turn: Turn, { number, reasoning, sealed }: Round): OutputItem[] {
  const text = (showsReasoning(turn) && reasoning) || '';
  if (text === '' && sealed === undefined && !handsOutState(turn)) return [];
  const item = reasoningItem(turn.id, number, text);
  return [sealed === undefined ? item : { ...item, encrypted_content: sealed }];
}

/** Returns the reasoning of a round with the given text. */
export function reasoningItem(turnId: string, round: number, text: string): ReasoningItem {
  const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
  return { id: reasoningId(turnId, round), type: 'reasoning', summary };
}

type ReasoningItem = Extract<OutputItem, { type: 'reasoning' }>;

export function reasoningId(turnId: string, round: number): string {
  return itemIdOf(turnId, { kind: 'round', prefix: 'rs', round, call: null });
}

/**
 * Returns the item of a call. Only handed-over calls are for the caller. All other calls appear as calls of a server.
 */
function callItem(turn: Turn, call: ToolCall): OutputItem {
  if (call.result?.status !== 'handed_over') return mcpCall(turn, call);
  const tool = turn.config.tools.find(({ name }) => name === call.name);
  if (tool && !tool.handOver) return approvalRequest(turn, call);
  const { custom = false, namespace, name = call.name } = tool?.handOver ?? {};
  const shared = { status: 'completed' as const, call_id: call.id, name, ...(namespace && { namespace }) };
  const place = { kind: 'round' as const, round: call.round, call: call.index };
  return custom
    ? {
        ...{ id: itemIdOf(turn.id, { ...place, prefix: 'ctc' }), type: 'custom_tool_call', ...shared },
        input: customInput(call.arguments),
      }
    : {
        ...{ id: itemIdOf(turn.id, { ...place, prefix: 'fc' }), type: 'function_call', ...shared },
        arguments: call.arguments || '{}',
      };
}

/** Returns the free text of a call to a custom tool. Arguments of another shape stay as they are. */
export function customInput(args: string): string {
  const value = parseJson(args);
  return isRecord(value) && typeof value.input === 'string' ? value.input : args;
}

function approvalRequest({ id: turnId, config }: Turn, call: ToolCall): OutputItem {
  return { id: requestIdOf(turnId, call), type: 'mcp_approval_request', ...servedCall(config, call) };
}

function mcpCall({ id: turnId, config, input }: Turn, call: ToolCall): McpCall {
  const allowedBy = call.round === 0 ? allowingItems(input)[call.index] : undefined;
  return {
    id: itemIdOf(turnId, { kind: 'round', prefix: 'mcp', round: call.round, call: call.index }),
    type: 'mcp_call',
    ...servedCall(config, call),
    ...answerOf(call),
    approval_request_id: allowedBy?.approval_request_id ?? null,
  };
}

/** Returns the fields of a call that Pawl runs, with the server's own name of the tool. */
function servedCall(config: Turn['config'], call: ToolCall) {
  const tool = toolsFor(config, call).find(({ name }) => name === call.name);
  const { serverLabel, name } = labelledTool(tool ?? { name: call.name, execution: null });
  return { server_label: serverLabel, name, arguments: call.arguments || '{}' };
}

function answerOf({ result }: ToolCall): Pick<McpCall, 'status' | 'output' | 'error'> {
  if (!result) return { status: 'in_progress', output: null, error: null };
  const text = answerText(result);
  if (result.status !== 'error') return { status: 'completed', output: text, error: null };
  return { status: 'failed', output: null, error: executionError(text) };
}

/** Returns the error of a failed call in the shape of `mcp_call` items. */
export function executionError(text: string) {
  return { type: 'mcp_tool_execution_error' as const, content: [{ type: 'text' as const, text }] };
}

type McpCall = Extract<OutputItem, { type: 'mcp_call' }>;
