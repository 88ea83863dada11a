import { isRecord } from '../../json.ts';
import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import { systemPrompt } from '../../turn/history/system-prompt.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { givenFields, leaveOutNulls } from '../leave-out-nulls.ts';
import type { RoundRequest } from '../provider.ts';
import { AS_IT_CAME, type ThoughtState } from '../refusals/thought-state.ts';
import { renderHistory } from '../render-history.ts';
import { distinctNames, wireName } from '../wire-name.ts';
import { withOptionTools } from '../wire-tools/option-tools.ts';
import { anthropicToolSchema } from '../wire-tools/tool-schemas.ts';
import type { Block } from './block.ts';
import { type Container, containerField, lastContainer } from './hosted/container.ts';
import { hasServerTool, renderHostedTools, type WireTool } from './hosted/hosted-tools.ts';
import { markCache } from './mark-cache.ts';
import { type Body, renderMessages, withPaused } from './render-messages.ts';
import { renderSchema } from './render-schema.ts';

/** The differences between servers of this wire. */
export type Form = ThoughtState & {
  /** Whether the server supports cache marks, and a time in them. */
  takesMarks: boolean;
  takesTtl: boolean;
  /** Whether the container of earlier replies has expired. */
  withoutContainer?: boolean;
  /** Whether the model calls hosted tools only directly, and not from code. */
  isDirect?: boolean;
};

const PLAIN: Form = { ...AS_IT_CAME, takesMarks: false, takesTtl: true };

/**
 * Renders a Messages body. It always streams, even if the options say otherwise. Instructions and the first system
 * messages are its system prompt. Without declared tools, the wire refuses calls in the history. Then the calls are
 * sent as text.
 */
export function renderRequest(request: RoundRequest, provider: string, form: Form = PLAIN): Body {
  const body = renderBody(request, provider, form);
  const { promptCache } = request;
  return form.takesMarks && promptCache ? markCache(body, form.takesTtl ? promptCache.ttl : null) : body;
}

function renderBody(request: RoundRequest, provider: string, form: Form): Body {
  const { model, instructions, temperature, topP, stop, maxOutputTokens, providerOptions } = request;
  const { system, rest } = systemPrompt(request.messages, instructions);
  // Claude signs its thoughts. A round that requires a thought and has none is sent as text.
  const isText = request.declaredTools === null || (form.isFilled && isClaude(model));
  const spoken = isText ? renderHistory(rest) : rest;
  return {
    model,
    max_tokens: maxOutputTokens ?? defaultMaxTokens(model, providerOptions),
    ...(system ? { system } : {}),
    messages: renderMessages(spoken, provider, { ...form, mayResume: !form.withoutContainer && runsTools(request) }),
    ...renderTools(request, form),
    ...givenFields({ temperature, top_p: topP, stop_sequences: stop }),
    ...outputConfig(request),
    ...tierField(request),
    ...leaveOutNulls(providerOptions),
    ...joinedTools(request, form),
    ...containerOf(request, provider, form),
    ...shownThinking(request),
    stream: true,
  };
}

/** Adds tools of the options to the tools of the request. Other values of the options replace the tools. */
function joinedTools(request: RoundRequest, form: Form): { tools?: unknown[] } {
  const { tools: own } = request.providerOptions;
  return Array.isArray(own) ? { tools: withOptionTools(renderTools(request, form).tools ?? [], own) } : {};
}

/** Returns the container of earlier replies, if a tool may use it. */
function containerOf(request: RoundRequest, provider: string, form: Form): { container?: unknown } {
  if (form.withoutContainer || !form.isKept || !runsTools(request)) return {};
  return containerField(lastContainer(request.messages, provider), request.providerOptions.container);
}

/** Returns whether the provider runs tools for this request. */
function runsTools({ hostedTools = [], providerOptions }: RoundRequest): boolean {
  return hostedTools.length > 0 || hasServerTool(providerOptions.tools);
}

/** Returns the request that resumes a paused reply: the same request, with the blocks so far. Null without blocks. */
export function renderResumption(body: Body, blocks: Block[], container: Container | null): Body | null {
  const messages = withPaused(body.messages, blocks);
  return messages && { ...body, messages, ...containerField(container, withoutId(body.container)) };
}

/** Returns a container of the request without its id, since the reply names its container anew. */
function withoutId(given: unknown): unknown {
  return isRecord(given) ? { ...given, id: undefined } : undefined;
}

/** The version of the API, unless a request has sampling fields. */
export const API_VERSION = '2026-10-21';

/** Returns the header for the API's version. Sampling requires the earlier version. */
export function versionHeaders(body: Body): Record<string, string> {
  const samples = ['temperature', 'top_p', 'top_k'].some((field) => body[field] !== undefined);
  return samples ? { 'anthropic-version': '2023-06-01' } : {};
}

/** Returns the tier's field. Other tiers were refused at submission. */
function tierField({ serviceTier }: RoundRequest): { service_tier?: string } {
  if (serviceTier === null) return {};
  return { service_tier: serviceTier === 'default' ? 'standard_only' : serviceTier };
}

/**
 * Returns the field for effort and text format. The wire supports only schemas, and other formats were refused at
 * submission.
 */
function outputConfig({ reasoningEffort, textFormat }: RoundRequest): { output_config?: Record<string, unknown> } {
  const isSchema = textFormat?.type === 'json_schema';
  const format = isSchema ? { type: 'json_schema', schema: renderSchema(textFormat.schema) } : null;
  return reasoningEffort || format ? { output_config: givenFields({ effort: reasoningEffort, format }) } : {};
}

/**
 * Asks for readable thoughts, which newer models otherwise hide, if the options or the effort ask for thinking. It
 * does not enable thinking together with sampling or a forced tool, since the wire would refuse that.
 */
function shownThinking(request: RoundRequest): { thinking?: Record<string, unknown> } {
  const { thinking } = request.providerOptions;
  if (request.reasoningSummary === null) return {};
  if (isRecord(thinking))
    return thinking.type === 'disabled' ? {} : { thinking: { display: 'summarized', ...thinking } };
  return thinking === undefined && mayThink(request) ? { thinking: { type: 'adaptive', display: 'summarized' } } : {};
}

function mayThink(request: RoundRequest): boolean {
  const { model, reasoningEffort, temperature, topP, tools, hostedTools = [], toolChoice } = request;
  const isForced = tools.length + hostedTools.length > 0 && toolChoice !== 'auto' && toolChoice !== 'none';
  return reasoningEffort !== null && temperature === null && topP === null && !isForced && isAdaptive(model);
}

/** Returns whether a model with efforts decides itself how long it thinks. The first such model required a budget. */
function isAdaptive(model: string): boolean {
  return isClaude(model) && !/opus-4[-.]5/.test(model);
}

function isClaude(model: string): boolean {
  return /claude/.test(model);
}

type WireChoice = { type: string; name?: string; disable_parallel_tool_use?: boolean };

/**
 * Renders the tools and the choice. Hosted tools follow the functions. Tools for the history alone are declared, and
 * without hosted tools no tool may be called then.
 */
function renderTools(
  request: RoundRequest,
  { isDirect = false }: Form,
): { tools?: WireTool[]; tool_choice?: WireChoice } {
  const { tools, toolChoice, parallelToolCalls } = request;
  const hosted = renderHostedTools(request.hostedTools ?? [], isDirect);
  const functions = tools.length > 0 ? tools.map(wireTool) : declaredFor(request);
  if (functions.length + hosted.length === 0) return {};
  if (tools.length + hosted.length === 0) return { tools: functions, tool_choice: { type: 'none' } };
  return { tools: [...functions, ...hosted], ...choiceField(toolChoice, parallelToolCalls === false) };
}

/** Returns the tools to declare because the history has calls. */
function declaredFor({ messages, declaredTools }: RoundRequest): WireTool[] {
  const hasCalls = messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
  return hasCalls ? distinctNames((declaredTools ?? []).map(wireTool)) : [];
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

/** The longest reply in tokens that every model of a family supports. The first match counts. */
const FAMILIES: [name: RegExp, tokens: number][] = [
  [/claude-(2|instant|3-(opus|sonnet|haiku))/, 4096],
  [/claude-3-5/, 8192],
  [/claude/, 32_000],
];

/** For models of other makers on this wire. */
const OTHERS = 8192;

/** The tokens for text in addition to a budget for thinking, which counts toward the same limit. */
const BESIDE_THINKING = 4096;

/** Returns the required `max_tokens`: the limit of the model's family, or more for a budget for thinking. */
function defaultMaxTokens(model: string, options: Record<string, unknown>): number {
  const [, tokens = OTHERS] = FAMILIES.find(([name]) => name.test(model)) ?? [];
  return Math.max(tokens, budgetOf(options) + BESIDE_THINKING);
}

function budgetOf({ thinking }: Record<string, unknown>): number {
  const isBudgeted = typeof thinking === 'object' && thinking !== null && 'budget_tokens' in thinking;
  return isBudgeted && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
}
