import type {
  LanguageModelV4CallOptions as CallOptions,
  JSONSchema7,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
  LanguageModelV4ToolChoice as WireChoice,
} from '@ai-sdk/provider';
import { isRecord } from '../../../json.ts';
import type { ToolChoice } from '../../../turn/config/tool-choice.ts';
import type { Part } from '../../../turn/request/item.ts';
import type { TextFormat } from '../../../turn/request/response.ts';
import type { Tool, TurnTool } from '../../../turn/request/tool.ts';
import { type HeadersByName, mergeHeaders } from '../../http/merge-headers.ts';
import { givenFields, leaveOutNulls } from '../../leave-out-nulls.ts';
import type { RoundRequest } from '../../provider.ts';
import { renderHistory } from '../../render-history.ts';
import { openaiToolSchema } from '../../wire-tools/tool-schemas.ts';
import { renderPrompt } from './render-prompt.ts';

/** The receiver of a request: the provider's name, the operator's headers, and the parts that its model accepts. */
export type Asked = { provider: string; headers?: HeadersByName | undefined; mayShow: (part: Part) => boolean };

/** Renders a request as the options of a call, in the current version of the interface. */
export function renderRequest(request: RoundRequest, { provider, headers, mayShow }: Asked): CallOptions {
  const { model, instructions, temperature, topP, maxOutputTokens, reasoningEffort, requestId } = request;
  return {
    prompt: renderPrompt(spokenIn(request), { instructions, provider, model, mayShow }),
    ...toolFields(request),
    ...givenFields({ temperature, topP, reasoning: reasoningEffort, stopSequences: request.stop, seed: request.seed }),
    ...formatField(request.textFormat),
    ...givenFields({ maxOutputTokens }),
    providerOptions: optionsOf(request.providerOptions),
    headers: mergeHeaders({ 'x-client-request-id': requestId, ...request.trace }, { headers }, request),
  };
}

function mayCall({ tools, toolChoice }: RoundRequest): boolean {
  return tools.length > 0 && toolChoice !== 'none';
}

function hasCalls({ messages }: RoundRequest): boolean {
  return messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
}

/** Returns the messages. If no tool may be called, calls are sent as text, since some packages would drop them. */
function spokenIn(request: RoundRequest) {
  return mayCall(request) || !hasCalls(request) ? request.messages : renderHistory(request.messages);
}

function toolFields(request: RoundRequest): Pick<CallOptions, 'tools' | 'toolChoice'> {
  if (request.tools.length === 0 || (!mayCall(request) && hasCalls(request))) return {};
  return { tools: request.tools.map(functionTool), toolChoice: wireChoice(request.toolChoice) };
}

function functionTool({
  name,
  description,
  parameters,
  strict,
}: Tool & Pick<TurnTool, 'strict'>): LanguageModelV4FunctionTool {
  const held = typeof strict === 'boolean' ? { strict } : {};
  const inputSchema: JSONSchema7 = openaiToolSchema(parameters);
  return { type: 'function', name, ...(description ? { description } : {}), inputSchema, ...held };
}

function wireChoice(choice: ToolChoice): WireChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };
}

/** Returns the field for the text format. The interface has no strictness, so the package or its options decide. */
function formatField(format: TextFormat | null): Pick<CallOptions, 'responseFormat'> {
  if (format === null || format.type === 'text') return {};
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } };
  const { name, schema, description } = format;
  const described = description ? { description } : {};
  return { responseFormat: { type: 'json', schema: schema as JSONSchema7, name, ...described } };
}

/**
 * Returns the options by the name of the package's own provider, as in the AI SDK. Others were refused at submission.
 */
function optionsOf(options: Record<string, unknown>): SharedV4ProviderOptions {
  const given = Object.entries(options).flatMap(([name, own]) => (isRecord(own) ? [[name, leaveOutNulls(own)]] : []));
  return Object.fromEntries(given) as SharedV4ProviderOptions;
}
