import type { TraceHeaders } from '../trace-context.ts';
import type { RunningResponse } from '../turn/background/background.ts';
import type { PromptCache, ServiceTier } from '../turn/config/service-tier.ts';
import type { ReasoningEffort, ToolChoice, Verbosity } from '../turn/config/tool-choice.ts';
import type { HostedCall } from '../turn/hosted/hosted.ts';
import type { HostedTool, HostedType } from '../turn/hosted/hosted-tool.ts';
import type { Message } from '../turn/message.ts';
import type { Reply } from '../turn/reply.ts';
import type { TextFormat } from '../turn/request/response.ts';
import type { Tool } from '../turn/request/tool.ts';
import type { BatchServer, Exchange } from './batches/batch-server.ts';
import type { ListedModel } from './http/list-models.ts';

/** A minimum time for which a cache keeps a prefix. */
export type CacheTtl = Exclude<PromptCache, 'auto' | 'off'>;

/**
 * How a request uses a cache. `ttl` is null if the provider decides. `key` has 32 hex digits, the same for each
 * prefix.
 */
export type Caching = { ttl: CacheTtl | null; key: string };

/** The milliseconds until a reply must be complete, and the most milliseconds without a delta. */
export type RequestTimes = { timeoutMs?: number; idleTimeoutMs?: number };

/**
 * The responses of a round that is asked in the background. The server keeps them, so that any run of the round can
 * follow them.
 */
export type BackgroundResponses = {
  /** Whether the server keeps the response until it is deleted, or else for some minutes. */
  isStored: boolean;
  /** Whether the round only polls, since a run has left the stream of its response. */
  isPolled: boolean;
  /** Returns the id of the response that this request of the round has already created, or null. */
  known(): string | null;
  /** To be called immediately before a new response is requested. Rejects if another run may do so. */
  create(): Promise<void>;
  /** Commits the id of a new response. Rejects if the run has lost its round. */
  commit(id: string): Promise<void>;
};

/** A round's request to a model, independent of wires. */
export type RoundRequest = {
  /** The round's number in its turn, from 1. */
  round: number;
  /** The provider's own name for the model, after the first `/`. */
  model: string;
  instructions: string | null;
  messages: Message[];
  tools: Tool[];
  /** The tools that the provider runs. Absent if there are none. */
  hostedTools?: HostedTool[];
  /**
   * Whether the model may call a tool. A last round and a repair keep their tools, with the choice `none`, so that
   * the cached prefix still matches. Calls in such a reply are dropped.
   */
  mayCall: boolean;
  /**
   * Tools for wires that require declared tools because the history has calls, although no tool may be called. Null
   * if none may be declared. Such a wire then sends the calls as text.
   */
  declaredTools: Tool[] | null;
  toolChoice: ToolChoice;
  /** The choice of the caller, which applies to the first round of the turn. */
  turnChoice: ToolChoice;
  parallelToolCalls: boolean | null;
  temperature: number | null;
  topP: number | null;
  reasoningEffort: ReasoningEffort | null;
  /** How the model summarizes its reasoning for the caller, or null without a request for a summary. */
  reasoningSummary: string | null;
  verbosity: Verbosity | null;
  stop: string[] | null;
  seed: number | null;
  /** The form of the text, or null for any text. */
  textFormat: TextFormat | null;
  maxOutputTokens: number | null;
  /** How the request uses the provider's cache, or null if it does not. */
  promptCache: Caching | null;
  /** The tier of the request, or null if none is sent. */
  serviceTier: ServiceTier | null;
  /** Fields that are merged last into the request's top level, unchanged. */
  providerOptions: Record<string, unknown>;
  /** Headers that the turn adds, by their lower-case names. */
  headers?: Record<string, string>;
  /** The turn's times, which replace the operator's. */
  times?: RequestTimes;
  /** Set if the round is asked in the background. */
  background?: BackgroundResponses;
  /** Takes the place of HTTP, for the answers of a batch. Then the headers and the id of the request are not sent. */
  exchange?: Exchange;
  /** The ASCII name of this attempt of the round in the provider's logs. */
  requestId: string;
  trace?: TraceHeaders;
};

/** A chunk of a reply while it streams. It is a preview, and only the reply counts. */
export type Delta =
  | { kind: 'text'; text: string }
  /** Text of a refusal, which continues the reply's text. */
  | { kind: 'refusal'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'tool-arguments'; index: number; text: string }
  /** A call of a hosted tool that starts (`in_progress`), or the same call after its end. `text` is empty. */
  | { kind: 'hosted-call'; text: ''; call: Omit<HostedCall, 'offset'> };

/** The capabilities of a provider, as `GET /v1/models` shows them. */
export type Capabilities = {
  wire: 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'ai-sdk';
  streaming: boolean;
  tools: boolean;
  parallel_tool_calls: boolean;
  /** Whether the provider streams reasoning and gets its opaque data back. */
  thinking: boolean;
  /** Whether replies can follow a JSON schema. */
  structured_outputs: boolean;
  /** The kinds of tools that the provider runs. */
  hosted_tools: readonly HostedType[];
};

const HOSTED_TOOLS: Record<Capabilities['wire'], readonly HostedType[]> = {
  openai: [],
  'openai-responses': ['web_search', 'code_execution', 'file_search', 'image_generation'],
  anthropic: ['web_search', 'web_fetch', 'code_execution'],
  gemini: ['web_search', 'web_fetch', 'code_execution', 'file_search'],
  'ai-sdk': [],
};

/** Returns the capabilities of a wire, unless the operator says that its server lacks some. */
export function fullCapabilities(wire: Capabilities['wire']): Capabilities {
  const calls = { tools: true, parallel_tool_calls: true };
  const answers = { thinking: true, structured_outputs: true };
  return { wire, streaming: true, ...calls, ...answers, hosted_tools: HOSTED_TOOLS[wire] };
}

export function isOpenaiWire(wire: Capabilities['wire']): boolean {
  return wire === 'openai' || wire === 'openai-responses';
}

/**
 * The state of a response at its server. `away`: the server gave no usable answer, and may later. `refused`: it would
 * refuse the same request again. `isReply`: the ended response is complete, or cut at a limit.
 */
export type ResponseState =
  | { kind: 'lost' | 'away' | 'refused' }
  | ({ kind: 'running' } & RunningResponse)
  | ({ kind: 'ended'; isReply: boolean } & Pick<Reply, 'usage' | 'serviceTier'>);

/** The responses that a server keeps. No function throws, except for an abort of the signal. */
export type KeptResponses = {
  /** Whether rounds of some models are asked in the background. */
  isOn: boolean;
  /** Whether rounds of a model are asked in the background. `model` is the provider's own name. */
  isUsedFor(model: string): boolean;
  /** Whether the server may keep responses until they are deleted. */
  isStored: boolean;
  read(id: string, signal: AbortSignal): Promise<ResponseState>;
  /** Asks the server to stop a response, and returns its state afterwards. */
  cancel(id: string, signal: AbortSignal): Promise<ResponseState>;
  /** Deletes a response. Returns whether the server does not have it any more. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
};

/**
 * One wire with a common interface. It renders requests and parses replies, without retries and state. If `signal`
 * aborts, the call ends at once and rethrows its reason. Every other end without a reply is a `ProviderFailed`.
 */
export type Provider = {
  name: string;
  capabilities: Capabilities;
  /** The supported times of `prompt_cache`. Absent if there are none. */
  cacheTtls?: readonly CacheTtl[];
  /** Whether the provider supports `prompt_cache_key`. */
  takesCacheKey?: boolean;
  /** The supported efforts, if they differ from those of the wire. */
  reasoningEfforts?: readonly ReasoningEffort[];
  /** The address of the server. Absent if it is unknown before a request. */
  server?: { address: string; port: number };
  /** The lower-case names of the headers that a turn may set. Absent if there are none. */
  allowedHeaders?: readonly string[];
  /** The responses that the server keeps. Absent on wires without them. */
  responses?: KeptResponses;
  /** The batch API of the server. Absent without such an API. */
  batches?: BatchServer;
  ask(request: RoundRequest, signal: AbortSignal, onDelta: (delta: Delta) => void): Promise<Reply>;
  /** Returns the models that the server lists now. Rejects if the server is away or has no list. */
  listModels?(signal: AbortSignal): Promise<ListedModel[]>;
};
