import type { ResponseCreateParamsStreaming as Params } from 'openai/resources/responses/responses';
import type { Message } from '../../turn/message.ts';
import type { TextFormat } from '../../turn/request/response.ts';
import { givenFields, leaveOutNulls } from '../leave-out-nulls.ts';
import type { CacheTtl, RoundRequest } from '../provider.ts';
import { schemaFormat } from '../schema-format.ts';
import { INCLUDED, includeOf } from './include.ts';
import type { Item } from './item.ts';
import { renderInput } from './render-input.ts';
import { renderTools } from './render-tools.ts';

/** The body of a request. Items may have fields that the client's types lack. */
export type Body = Omit<Params, 'input'> & { input: Item[] };

/** The supported fields of a server, and whether its state is sent with the history. */
export type Form = {
  /** Whether the server supports `instructions`. Otherwise they are the first message. */
  instructions: boolean;
  /** The values of `include` that the server supports. */
  include: readonly string[];
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
  const always = { instructions: true, include: INCLUDED, store: true, streamOptions: true, isKept: true };
  return { ...always, cacheKey: promptCache, cacheOptions: promptCache };
}

/** Renders a Responses body. It always streams. The server stores no response unless the caller asks for it. */
export function renderRequest(request: RoundRequest, { provider, form }: { provider: string; form: Form }): Body {
  const { model, instructions, providerOptions } = request;
  return {
    model,
    ...(instructions && form.instructions ? { instructions } : {}),
    input: renderInput(messagesOf(request, form), { provider, model, isKept: form.isKept }),
    ...renderTools(request),
    ...reasoningField(request),
    ...textField(request),
    ...samplingFields(request),
    ...givenFields({ service_tier: request.serviceTier }),
    ...addedFields(request, form),
    ...storeFields(request, form),
    ...optionFields(providerOptions),
    ...includeField(request, form),
    stream: true,
  } as Body;
}

/** Returns the caller's fields, which are merged last. A list of tools is in the field of the tools already. */
function optionFields(given: RoundRequest['providerOptions']): Record<string, unknown> {
  const options = leaveOutNulls(given);
  if (!Array.isArray(options.tools)) return options;
  const { tools: _, ...others } = options;
  return others;
}

/** Returns the fields for a response that the server keeps, or else does not store. */
function storeFields({ background }: RoundRequest, form: Form): Partial<Body> {
  if (background) return { background: true, store: background.isStored };
  return form.store ? { store: false } : {};
}

function messagesOf({ instructions, messages }: RoundRequest, form: Form): Message[] {
  return instructions && !form.instructions ? [{ role: 'system', content: instructions }, ...messages] : messages;
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
function includeField(request: RoundRequest, { include: supported }: Form): Partial<Body> {
  const include = includeOf(request, supported);
  // The client's types may lack values of the caller.
  return include?.length ? ({ include } as Partial<Body>) : {};
}
