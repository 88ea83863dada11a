import type {
  ChatCompletionCreateParamsStreaming as Body,
  ChatCompletionMessageFunctionToolCall as CallParam,
  ChatCompletionContentPart as PartParam,
  ChatCompletionFunctionTool as ToolParam,
} from 'openai/resources/chat/completions';
import { isRecord } from '../../json.ts';
import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import { objectText } from '../../turn/history/as-object.ts';
import type { Message, RequestedCall } from '../../turn/message.ts';
import type { TextFormat } from '../../turn/request/response.ts';
import type { Tool, TurnTool } from '../../turn/request/tool.ts';
import { givenFields, leaveOutNulls } from '../leave-out-nulls.ts';
import { renderWithNotes } from '../parts/missing-note.ts';
import { partsBehindResults } from '../parts/parts-behind-results.ts';
import type { RoundRequest } from '../provider.ts';
import type { Fields } from '../reply/fields.ts';
import { schemaFormat } from '../schema-format.ts';
import { isMistral, type Receiver, wireIdFor } from '../wire-id.ts';
import { wireName } from '../wire-name.ts';
import { addOptionTools } from '../wire-tools/option-tools.ts';
import { openaiToolSchema } from '../wire-tools/tool-schemas.ts';
import { type FilledField, fillState, readOpaque } from './opaque.ts';
import { orderRoles, type RoleOrder, stricterOrder, type WireMessage } from './order-roles.ts';
import { renderPart } from './render-parts.ts';

/** The field for the limit of a reply. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens';

/** The differences between servers of this wire. */
export type Quirks = {
  maxTokensField: MaxTokensField;
  /** Whether the server supports `stream_options`. */
  streamOptions?: boolean;
  /** Whether the server supports `prompt_cache_key`. */
  cacheKey?: boolean;
  /** The order of roles that the server requires. */
  roles?: RoleOrder;
  /** State fields that the server refuses, although it sent them. */
  refusedState?: readonly string[];
  /** State fields that rounds with calls require, even if another server made the rounds. */
  filledState?: readonly FilledField[];
  /** Whether the history contains the servers' state. */
  isKept?: boolean;
};

type Server = Quirks & { provider: string };

/** Renders a Chat Completions body. It always streams, even if the options say otherwise. */
export function renderRequest(request: RoundRequest, { provider, ...quirks }: Server): Body {
  const { model, maxOutputTokens } = request;
  const { maxTokensField, streamOptions = true, cacheKey = false, roles = 'any' } = quirks;
  const { refusedState: refused = [], filledState: filled = [], isKept = true } = quirks;
  // Results have text only.
  const spoken = withWireIds(partsBehindResults(request.messages, renderPart), { provider, model });
  const state = { provider: isKept ? provider : null, refused, filled };
  const messages = [...instructed(request.instructions), ...spoken.flatMap((each) => message(each, state))];
  const called = toolFields(request);
  return {
    model,
    messages: orderRoles(messages, isMistral({ provider, model }) ? stricterOrder(roles, 'alternate') : roles),
    ...(streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...called,
    ...samplingFields(request),
    ...formatField(request.textFormat),
    ...givenFields({ [maxTokensField]: maxOutputTokens }),
    ...tierField(request),
    ...(cacheKey && request.promptCache ? { prompt_cache_key: request.promptCache.key } : {}),
    ...leaveOutNulls(addOptionTools(request.providerOptions, called.tools)),
    stream: true,
  };
}

/** Returns the tier's field. `batch` is a tier of Pawl alone. */
function tierField({ serviceTier }: RoundRequest): Partial<Body> {
  return serviceTier === null || serviceTier === 'batch' ? {} : { service_tier: serviceTier };
}

function instructed(instructions: string | null): WireMessage[] {
  return instructions ? [{ role: 'system', content: instructions }] : [];
}

type Assistant = Extract<Message, { role: 'assistant' }>;

/**
 * The provider that gets its state back, the fields that it refuses, and the fields that it requires in rounds with
 * calls.
 */
type StateOf = { provider: string | null; refused: readonly string[]; filled: readonly FilledField[] };

function message(spoken: Message, state: StateOf): WireMessage[] {
  switch (spoken.role) {
    case 'user':
      if (spoken.parts) return userMessage(renderWithNotes(spoken.parts, renderPart));
      return spoken.content ? [{ role: 'user', content: spoken.content }] : [];
    case 'system':
      return spoken.content ? [{ role: 'system', content: spoken.content }] : [];
    case 'assistant':
      return spoken.content || spoken.calls.length ? [assistant(spoken, state)] : [];
    case 'tool':
      // The call must be answered, and some servers refuse an empty answer.
      return [{ role: 'tool', tool_call_id: spoken.callId, content: spoken.content || '(no output)' }];
  }
}

function userMessage(content: PartParam[]): WireMessage[] {
  return content.length > 0 ? [{ role: 'user', content }] : [];
}

function assistant(spoken: Assistant, { provider, refused, filled }: StateOf): WireMessage {
  const { opaque } = spoken;
  const own = readOpaque(opaque?.provider === provider && !opaque.isRefused ? opaque.state : null);
  const state = filled.length > 0 && spoken.calls.length > 0 ? fillState(own, filled) : own;
  const calls = spoken.calls.map((call, index) => {
    const fields = state.asked[index]?.fields;
    return fields ? withState(callParam(call), taken(fields, refused)) : callParam(call);
  });
  return {
    ...taken(state.message, refused),
    role: 'assistant',
    content: spoken.content || null,
    ...(calls.length ? { tool_calls: calls } : {}),
  };
}

function callParam({ id, name, arguments: args }: RequestedCall): CallParam {
  return { id, type: 'function', function: { name: wireName(name), arguments: objectText(args) } };
}

function withState(call: CallParam, { function: ofFunction, ...fields }: Fields): CallParam {
  return { ...fields, ...call, function: { ...(isRecord(ofFunction) ? ofFunction : {}), ...call.function } };
}

/** Returns the fields without refused fields. */
function taken(fields: Fields, refused: readonly string[]): Fields {
  if (refused.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !refused.includes(name)));
}

function samplingFields({ temperature, topP, reasoningEffort, verbosity, stop, seed }: RoundRequest): Partial<Body> {
  return givenFields({ temperature, top_p: topP, reasoning_effort: reasoningEffort, verbosity, stop, seed });
}

/** Returns the field for the text format. Text needs none. */
function formatField(format: TextFormat | null): Partial<Body> {
  if (format === null || format.type === 'text') return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: schemaFormat(format) } };
}

function toolFields({ tools, toolChoice, parallelToolCalls }: RoundRequest): Partial<Body> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(toolParam),
    ...choiceField(toolChoice),
    ...givenFields({ parallel_tool_calls: parallelToolCalls }),
  };
}

function toolParam({ name, description, strict, ...tool }: Tool & Pick<TurnTool, 'strict'>): ToolParam {
  const held = strict === undefined ? {} : { strict };
  const parameters = openaiToolSchema(tool.parameters);
  return { type: 'function', function: { name, ...(description ? { description } : {}), parameters, ...held } };
}

function choiceField(choice: ToolChoice): Partial<Body> {
  if (choice === 'auto') return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  return { tool_choice: { type: 'function', function: { name: choice.name } } };
}

/** Returns the history with ids that the receiver accepts. The receiver's own ids stay unchanged. */
function withWireIds(messages: Message[], receiver: Receiver): Message[] {
  const wireId = wireIdFor(receiver);
  const takesOwnIds = !isMistral(receiver);
  const used = new Set<string>();
  let given = NO_IDS;
  const idOf = (id: string) => given.get(id) ?? wireId(id);
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: idOf(message.callId) };
    if (message.role === 'user') used.clear();
    if (message.role !== 'assistant') return message;
    given = takesOwnIds && message.opaque?.provider === receiver.provider ? givenIds(message, used) : NO_IDS;
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: idOf(call.id) })) };
  });
}

const NO_IDS: ReadonlyMap<string, string> = new Map();

/** Returns the provider's ids of the calls of a message, by Pawl's ids, without used ids. */
function givenIds({ calls, opaque }: Assistant, used: Set<string>): Map<string, string> {
  const given = new Map<string, string>();
  for (const [index, state] of readOpaque(opaque?.state).asked.entries()) {
    const own = calls[index]?.id;
    if (own === undefined || !state?.id || used.has(state.id)) continue;
    used.add(state.id);
    given.set(own, state.id);
  }
  return given;
}
