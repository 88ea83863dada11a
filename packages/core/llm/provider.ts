import type { TraceHeaders } from '../trace-context.ts';
import type { PromptCache, ServiceTier } from '../turn/config/service-tier.ts';
import type { ReasoningEffort, ToolChoice, Verbosity } from '../turn/config/tool-choice.ts';
import type { Message } from '../turn/message.ts';
import type { Reply } from '../turn/reply.ts';
import type { TextFormat } from '../turn/request/response.ts';
import type { Tool } from '../turn/request/tool.ts';
import type { ListedModel } from './http/list-models.ts';

/** A minimum time for which a cache keeps a prefix. */
export type CacheTtl = Exclude<PromptCache, 'auto' | 'off'>;

/** How a request uses a cache. `ttl`: null if the provider decides. `key`: 32 hex digits, the same for one prefix. */
export type Caching = { ttl: CacheTtl | null; key: string };

/** Milliseconds until a reply must be complete, and for which it may be silent. */
export type RequestTimes = { timeoutMs?: number; idleTimeoutMs?: number };

/** A round's question to a model, in our words. */
export type RoundRequest = {
  /** The round's number in its turn, from 1. */
  round: number;
  /** The provider's own name for the model: what stands behind the first `/`. */
  model: string;
  instructions: string | null;
  messages: Message[];
  tools: Tool[];
  /**
   * Whether the model may call a tool. A last round and a repair keep their tools, with the choice `none`, so that the
   * cached prefix still matches. Calls in such a reply are dropped.
   */
  mayCall: boolean;
  /**
   * For wires that want tools declared because the history holds calls, although none may be used now. Null where none
   * may be declared either: such a wire then sends the calls as text.
   */
  declaredTools: Tool[] | null;
  toolChoice: ToolChoice;
  /** The choice of the caller, which stands for the first round of the turn. */
  turnChoice: ToolChoice;
  parallelToolCalls: boolean | null;
  temperature: number | null;
  topP: number | null;
  reasoningEffort: ReasoningEffort | null;
  /** How the model summarizes its reasoning for the caller; null if no summary was asked for. */
  reasoningSummary: string | null;
  verbosity: Verbosity | null;
  /** Texts at which the model stops writing. */
  stop: string[] | null;
  seed: number | null;
  /** What the text has to be; null where any text will do. */
  textFormat: TextFormat | null;
  maxOutputTokens: number | null;
  /** How it uses the provider's cache; null if it does not. */
  promptCache: Caching | null;
  /** The tier that it is asked on; null if none is sent. */
  serviceTier: ServiceTier | null;
  /** Merged into the request's top level as they are, last. */
  providerOptions: Record<string, unknown>;
  /** Headers that the turn adds, by their names in small letters. */
  headers?: Record<string, string>;
  /** Times that the turn sets in place of the operator's. */
  times?: RequestTimes;
  /** Names this try of this round in the provider's own logs; ASCII. */
  requestId: string;
  /** The trace that the request is part of. */
  trace?: TraceHeaders;
};

/** A chunk of a reply while it streams; a preview, the reply itself is what counts. */
export type Delta =
  | { kind: 'text'; text: string }
  /** Text, too: the reply's text goes on with it. */
  | { kind: 'refusal'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'tool-arguments'; index: number; text: string };

/** What callers may expect of a provider; shown as it stands by `GET /v1/models`. */
export type Capabilities = {
  wire: 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'ai-sdk';
  streaming: boolean;
  tools: boolean;
  parallel_tool_calls: boolean;
  /** A model's reasoning is shown while it streams, and what its provider wants of it goes back. */
  thinking: boolean;
  /** Replies can be held to a JSON schema. */
  structured_outputs: boolean;
};

/** The capabilities of a wire, unless the operator says that its server lacks something. */
export function fullCapabilities(wire: Capabilities['wire']): Capabilities {
  const calls = { tools: true, parallel_tool_calls: true };
  return { wire, streaming: true, ...calls, thinking: true, structured_outputs: true };
}

/** Whether a wire is one of OpenAI's two. */
export function isOpenaiWire(wire: Capabilities['wire']): boolean {
  return wire === 'openai' || wire === 'openai-responses';
}

/**
 * One wire behind one port. Renders our words, parses theirs, nothing else: no retries, no state.
 * When `signal` aborts, the call ends at once and its reason is rethrown; every other end without a reply is a
 * `ProviderFailed`.
 */
export type Provider = {
  name: string;
  capabilities: Capabilities;
  /** The times of `prompt_cache` that it supports; absent if it supports none. */
  cacheTtls?: readonly CacheTtl[];
  /** Whether it takes a `prompt_cache_key`. */
  takesCacheKey?: boolean;
  /** The efforts that it can be told, where these are others than those of its wire. */
  reasoningEfforts?: readonly ReasoningEffort[];
  /** The server that answers; absent if it is not known before a request. */
  server?: { address: string; port: number };
  /** The names of the headers that a turn may set, in small letters; absent if it may set none. */
  allowedHeaders?: readonly string[];
  ask(request: RoundRequest, signal: AbortSignal, onDelta: (delta: Delta) => void): Promise<Reply>;
  /** The models that the server lists now. Rejects where it cannot be asked, or has no list. */
  listModels?(signal: AbortSignal): Promise<ListedModel[]>;
};
