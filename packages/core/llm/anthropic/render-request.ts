import { isRecord } from '../../json.ts';
import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import { systemPrompt } from '../../turn/history/system-prompt.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { givenFields, leaveOutNulls } from '../leave-out-nulls.ts';
import type { RoundRequest } from '../provider.ts';
import { AS_IT_CAME, type ThoughtState } from '../refusals/thought-state.ts';
import { renderHistory } from '../render-history.ts';
import { distinctNames, wireName } from '../wire-name.ts';
import { anthropicToolSchema } from '../wire-tools/tool-schemas.ts';
import type { Block } from './block.ts';
import { markCache } from './mark-cache.ts';
import { type Body, renderMessages, type WireMessage } from './render-messages.ts';
import { renderSchema } from './render-schema.ts';

/** What differs between the servers that speak this wire. */
export type Form = ThoughtState & {
  /** Whether the server takes marks for its cache, and a time in them. */
  takesMarks: boolean;
  takesTtl: boolean;
};

const PLAIN: Form = { ...AS_IT_CAME, takesMarks: false, takesTtl: true };

/**
 * Our words as a Messages body. It always streams: nothing else is read, whatever the options say. Instructions and
 * the system messages the history begins with are its system prompt. The wire refuses calls in the history where no
 * tools are declared: where none may be, they are sent as text.
 */
export function renderRequest(request: RoundRequest, provider: string, form: Form = PLAIN): Body {
  const body = renderBody(request, provider, form);
  const { promptCache } = request;
  return form.takesMarks && promptCache ? markCache(body, form.takesTtl ? promptCache.ttl : null) : body;
}

function renderBody(request: RoundRequest, provider: string, state: ThoughtState): Body {
  const { model, instructions, temperature, topP, stop, maxOutputTokens, providerOptions } = request;
  const { system, rest } = systemPrompt(request.messages, instructions);
  // Claude signs its thoughts. A round that must have one, and has none, goes as text.
  const isText = request.declaredTools === null || (state.isFilled && isClaude(model));
  const spoken = isText ? renderHistory(rest) : rest;
  return {
    model,
    max_tokens: maxOutputTokens ?? defaultMaxTokens(model, providerOptions),
    ...(system ? { system } : {}),
    messages: renderMessages(spoken, provider, state),
    ...renderTools(request),
    ...givenFields({ temperature, top_p: topP, stop_sequences: stop }),
    ...outputConfig(request),
    ...tierField(request),
    ...leaveOutNulls(providerOptions),
    ...shownThinking(request),
    stream: true,
  };
}

/** The request that lets a paused reply go on: the same, with what it has written so far. */
export function renderResumption(body: Body, blocks: Block[], container: string | null): Body {
  const messages: WireMessage[] = [...body.messages, { role: 'assistant', content: blocks }];
  return { ...body, messages, ...(container ? { container } : {}) };
}

/** The API's version, where the request says nothing that another one knows. */
export const API_VERSION = '2026-10-21';

/** The version of the API that the request depends on: sampling is known only to the earlier one. */
export function versionHeaders(body: Body): Record<string, string> {
  const samples = ['temperature', 'top_p', 'top_k'].some((field) => body[field] !== undefined);
  return samples ? { 'anthropic-version': '2023-06-01' } : {};
}

/** The wire has no word for other tiers: they are refused at submission. */
function tierField({ serviceTier }: RoundRequest): { service_tier?: string } {
  if (serviceTier === null) return {};
  return { service_tier: serviceTier === 'default' ? 'standard_only' : serviceTier };
}

/** The wire has no other form than a schema: one it does not have is refused at submission. */
function outputConfig({ reasoningEffort, textFormat }: RoundRequest): { output_config?: Record<string, unknown> } {
  const isSchema = textFormat?.type === 'json_schema';
  const format = isSchema ? { type: 'json_schema', schema: renderSchema(textFormat.schema) } : null;
  return reasoningEffort || format ? { output_config: givenFields({ effort: reasoningEffort, format }) } : {};
}

/**
 * Asks for thoughts in words, which newer models keep to themselves otherwise: in the thinking that the options ask for, or in
 * that which an effort means. Thinking is not begun where the wire would refuse it: beside sampling or a forced tool.
 */
function shownThinking(request: RoundRequest): { thinking?: Record<string, unknown> } {
  const { thinking } = request.providerOptions;
  if (request.reasoningSummary === null) return {};
  if (isRecord(thinking))
    return thinking.type === 'disabled' ? {} : { thinking: { display: 'summarized', ...thinking } };
  return thinking === undefined && mayThink(request) ? { thinking: { type: 'adaptive', display: 'summarized' } } : {};
}

function mayThink({ model, reasoningEffort, temperature, topP, tools, toolChoice }: RoundRequest): boolean {
  const isForced = tools.length > 0 && toolChoice !== 'auto' && toolChoice !== 'none';
  return reasoningEffort !== null && temperature === null && topP === null && !isForced && isAdaptive(model);
}

/** Whether a model that knows efforts decides by itself how long it thinks. The first one had to be given a budget. */
function isAdaptive(model: string): boolean {
  return isClaude(model) && !/opus-4[-.]5/.test(model);
}

function isClaude(model: string): boolean {
  return /claude/.test(model);
}

type WireTool = { name: string; description?: string; input_schema: Record<string, unknown> };
type WireChoice = { type: string; name?: string; disable_parallel_tool_use?: boolean };

/** The tools and what to do with them; tools that only the history needs are declared, and none may be used. */
function renderTools(request: RoundRequest): { tools?: WireTool[]; tool_choice?: WireChoice } {
  const { tools, declaredTools, toolChoice, parallelToolCalls } = request;
  if (tools.length > 0) return { tools: tools.map(wireTool), ...choiceField(toolChoice, parallelToolCalls === false) };
  const hasCalls = request.messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
  if (!hasCalls || !declaredTools?.length) return {};
  return { tools: distinctNames(declaredTools.map(wireTool)), tool_choice: { type: 'none' } };
}

function wireTool({ name, description, parameters }: Tool): WireTool {
  return {
    name: wireName(name),
    ...(description ? { description } : {}),
    input_schema: anthropicToolSchema(parameters),
  };
}

function choiceField(choice: ToolChoice, oneAtATime: boolean): { tool_choice?: WireChoice } {
  if (choice === 'none') return { tool_choice: { type: 'none' } };
  if (choice === 'auto' && !oneAtATime) return {};
  const wanted = typeof choice === 'string' ? { type: choice === 'auto' ? 'auto' : 'any' } : named(choice.name);
  return { tool_choice: { ...wanted, ...(oneAtATime ? { disable_parallel_tool_use: true } : {}) } };
}

function named(name: string): WireChoice {
  return { type: 'tool', name };
}

/** The longest reply every model of a family takes, in tokens; the first that fits counts. */
const FAMILIES: [name: RegExp, tokens: number][] = [
  [/claude-(2|instant|3-(opus|sonnet|haiku))/, 4096],
  [/claude-3-5/, 8192],
  [/claude/, 32_000],
];

/** For models of other makers behind this wire. */
const OTHERS = 8192;

/** What the text may take beside a budget for thinking, which counts into the same limit. */
const BESIDE_THINKING = 4096;

/** The wire demands `max_tokens`: at most the limit of the model's family, and more than the budget for thinking. */
function defaultMaxTokens(model: string, options: Record<string, unknown>): number {
  const [, tokens = OTHERS] = FAMILIES.find(([name]) => name.test(model)) ?? [];
  return Math.max(tokens, budgetOf(options) + BESIDE_THINKING);
}

function budgetOf({ thinking }: Record<string, unknown>): number {
  const isBudgeted = typeof thinking === 'object' && thinking !== null && 'budget_tokens' in thinking;
  return isBudgeted && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
}
