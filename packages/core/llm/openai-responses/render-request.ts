import type {
  ResponseCreateParamsStreaming as Params,
  FunctionTool as ToolParam,
} from 'openai/resources/responses/responses';
import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import type { Message } from '../../turn/message.ts';
import type { TextFormat } from '../../turn/request/response.ts';
import type { Tool, TurnTool } from '../../turn/request/tool.ts';
import { givenFields, leaveOutNulls } from '../leave-out-nulls.ts';
import type { CacheTtl, RoundRequest } from '../provider.ts';
import { schemaFormat } from '../schema-format.ts';
import { openaiToolSchema } from '../wire-tools/tool-schemas.ts';
import type { Item } from './item.ts';
import { renderInput } from './render-input.ts';

/** The body of a request. Items may have fields that the client's types lack. */
export type Body = Omit<Params, 'input'> & { input: Item[] };

/** The supported fields of a server, and whether its state is sent with the history. */
export type Form = {
  /** Whether the server supports `instructions`. Otherwise they are the first message. */
  instructions: boolean;
  include: boolean;
  store: boolean;
  streamOptions: boolean;
  cacheKey: boolean;
  /** Whether the server supports `prompt_cache_options`. */
  cacheOptions: boolean;
  /** Whether the history contains the server's state. */
  isKept: boolean;
};

/** Returns a form with all fields, with or without the fields for a cache. */
export function fullForm(promptCache: boolean): Form {
  const always = { instructions: true, include: true, store: true, streamOptions: true, isKept: true };
  return { ...always, cacheKey: promptCache, cacheOptions: promptCache };
}

/** The state that a model requires in later requests, since the server stores no responses. */
export const STATE = 'reasoning.encrypted_content';

/** Renders a Responses body. It always streams. The server stores no response unless the caller asks for it. */
export function renderRequest(request: RoundRequest, { provider, form }: { provider: string; form: Form }): Body {
  const { model, instructions, providerOptions } = request;
  const options = leaveOutNulls(providerOptions);
  return {
    model,
    ...(instructions && form.instructions ? { instructions } : {}),
    input: renderInput(messagesOf(request, form), { provider, model, isKept: form.isKept }),
    ...toolFields(request),
    ...reasoningField(request),
    ...textField(request),
    ...samplingFields(request),
    ...givenFields({ service_tier: request.serviceTier }),
    ...addedFields(request, form),
    ...storeFields(request, form),
    ...options,
    ...includeField(options, form),
    stream: true,
  } as Body;
}

/** Returns the fields for a response that the server keeps, or else does not store. */
function storeFields({ background }: RoundRequest, form: Form): Partial<Body> {
  if (background) return { background: true, store: background.isStored };
  return form.store ? { store: false } : {};
}

function messagesOf({ instructions, messages }: RoundRequest, form: Form): Message[] {
  return instructions && !form.instructions ? [{ role: 'system', content: instructions }, ...messages] : messages;
}

function toolFields({ tools, toolChoice, parallelToolCalls }: RoundRequest): Partial<Body> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(toolParam),
    ...choiceField(toolChoice),
    ...givenFields({ parallel_tool_calls: parallelToolCalls }),
  };
}

/** Renders a tool. Without `strict`, OpenAI would make every schema strict. */
function toolParam({ name, description, strict, parameters }: Tool & Pick<TurnTool, 'strict'>): ToolParam {
  const described = description ? { description } : {};
  return { type: 'function', name, ...described, parameters: openaiToolSchema(parameters), strict: strict === true };
}

function choiceField(choice: ToolChoice): Partial<Body> {
  if (choice === 'auto') return {};
  return { tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.name } };
}

function reasoningField({ reasoningEffort, reasoningSummary }: RoundRequest): Partial<Body> {
  if (reasoningEffort === null && reasoningSummary === null) return {};
  return { reasoning: givenFields({ effort: reasoningEffort, summary: reasoningSummary }) } as Partial<Body>;
}

function textField({ textFormat, verbosity }: RoundRequest): Partial<Body> {
  const format = formatOf(textFormat);
  return format || verbosity ? { text: givenFields({ format, verbosity }) } : {};
}

/** Returns the text format, or null for text, which needs none. */
function formatOf(format: TextFormat | null): NonNullable<Body['text']>['format'] | null {
  if (format === null || format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'json_object' };
  return { type: 'json_schema', ...schemaFormat(format) };
}

/** The minimum limit that OpenAI accepts. */
const LEAST_OUTPUT_TOKENS = 16;

function samplingFields({ temperature, topP, maxOutputTokens }: RoundRequest): Partial<Body> {
  const most = maxOutputTokens === null ? null : Math.max(maxOutputTokens, LEAST_OUTPUT_TOKENS);
  return givenFields({ temperature, top_p: topP, max_output_tokens: most });
}

/** OpenAI's two cache times, which are both minimums. */
const TTLS: Record<CacheTtl, string> = { '5m': '30m', '1h': '12h' };

/** Returns Pawl's optional fields unless the caller gives them, so that a refusal is then about the caller's fields. */
function addedFields({ promptCache, providerOptions }: RoundRequest, form: Form): Partial<Body> {
  const { key, ttl } = promptCache ?? { key: null, ttl: null };
  const added = {
    ...(form.cacheKey && key ? { prompt_cache_key: key } : {}),
    ...(form.cacheOptions && ttl ? { prompt_cache_options: { ttl: TTLS[ttl] } } : {}),
    ...(form.streamOptions ? { stream_options: { include_obfuscation: false } } : {}),
  };
  return Object.fromEntries(Object.entries(added).filter(([name]) => !Object.hasOwn(providerOptions, name)));
}

/** Returns Pawl's list with the caller's list. With null, the request includes none. */
function includeField(options: Record<string, unknown>, { include }: Form): Partial<Body> {
  const { include: given } = options;
  if (!include || (Object.hasOwn(options, 'include') && !Array.isArray(given))) return {};
  const more = Array.isArray(given) ? given.filter((name) => name !== STATE) : [];
  return { include: [STATE, ...more] };
}
