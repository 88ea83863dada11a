import type { LimitsBody } from './limits.ts';
import type { InputMessage, TerminalStatus } from './turn.ts';

/** The JSON body that starts a turn. Fields with a default may be left out; `null` means the default too. */
export type TurnRequestBody = StandingBody & StartingBody & { input: string | InputMessage[] };

/** The JSON body that forks a turn. What it leaves out of the configuration is as the turn has it. */
export type ForkRequestBody = OverridingBody & {
  /** The round that the fork goes on behind, 0 for before the first; by default the last answered one. */
  after_round?: number | null | undefined;
  /** Said behind that round; before the first one, in place of the turn's input. Without it the model is asked from there. */
  input?: string | InputMessage[] | null | undefined;
};

/** The JSON body that creates a conversation; with `input` it also starts the first turn. */
export type ConversationRequestBody = StandingBody &
  KeepingBody &
  StartingBody & { input?: string | InputMessage[] | null | undefined };

/** The JSON body that changes a conversation: what is given replaces what stands, `null` means the default. */
export type ConversationChangesBody = StandingBody &
  KeepingBody & { metadata?: Record<string, string> | null | undefined };

/** The JSON body that runs a turn again. What it leaves out of the configuration is as the turn has it. */
export type RerunRequestBody = OverridingBody & {
  /** Whether calls that are equal to those of the turn get their results, the default, or all calls run. */
  tool_results?: 'reuse' | 'run' | null | undefined;
};

type OverridingBody = StandingBody & Pick<StartingBody, 'priority' | 'metadata'>;

type KeepingBody = {
  /** So long after the end of its last turn the conversation goes with all its turns. */
  expires_in_seconds?: number | null | undefined;
};

/** What each turn of a conversation inherits. */
type StandingBody = {
  /** `provider/model`; `sim/…` needs no key. */
  model?: string | null | undefined;
  /** The models that are asked, in their order, where `model` cannot answer. */
  fallback_models?: string[] | null | undefined;
  /** The system prompt. */
  instructions?: string | null | undefined;
  /** Names of tools that `GET /v1/tools` lists, or definitions. */
  tools?: (string | ToolBody)[] | null | undefined;
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'specific'; name: string } | null | undefined;
  tool_mode?: 'native' | 'emulated' | 'inline' | null | undefined;
  parallel_tool_calls?: boolean | null | undefined;
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  /** How much the model should think; which of these a provider knows differs. */
  reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null | undefined;
  /** How long answers should be; for providers of the openai wire. */
  verbosity?: 'low' | 'medium' | 'high' | null | undefined;
  /** Texts at which the model stops writing, 1 to 4. */
  stop?: string[] | null | undefined;
  /** For providers that know one. */
  seed?: number | null | undefined;
  max_output_tokens?: number | null | undefined;
  /** `auto` (default) uses the provider's cache if it is likely to help. `5m` and `1h` are minimum lifetimes. */
  prompt_cache?: PromptCache | null | undefined;
  /** The tier on which each round is asked; none is sent by default. `flex` costs less and waits for capacity. */
  service_tier?: ServiceTier | null | undefined;
  /** With `flex`: the tier for a round that was refused three times for lack of capacity, or is late. */
  tier_fallback?: 'default' | null | undefined;
  output_schema?: OutputSchemaBody | null | undefined;
  limits?: LimitsBody | null | undefined;
  /** What is sent of a history that grows too long; all of it by default. */
  context?: ContextBody | null | undefined;
  /** What tools may need; all by default. */
  allowed_capabilities?: Capability[] | null | undefined;
  /** Put into the provider's request at its top level, as they are. */
  provider_options?: Record<string, unknown> | null | undefined;
  /** Headers of each request to the model; the operator lists the names that a provider allows. */
  provider_headers?: Record<string, string> | null | undefined;
  model_retry?: ModelRetryBody | null | undefined;
  webhook?: WebhookBody | null | undefined;
};

/** A tier of a provider: the speed and the price of a request. */
export type ServiceTier = 'auto' | 'default' | 'flex' | 'priority' | 'batch';

/** The use of a provider's cache. */
export type PromptCache = 'auto' | 'off' | '5m' | '1h';

/** The attempts of each request to a model, and the longest wait for its reply. */
export type ModelRetryBody = {
  /** Attempts of each request to a model, 1 to 20; 5 by default. */
  max_attempts?: number | null | undefined;
  /** Milliseconds within which a reply must be complete. */
  timeout_ms?: number | null | undefined;
  /** Milliseconds for which a reply may be silent. */
  idle_timeout_ms?: number | null | undefined;
};

/** The JSON that an answer has to be: it is checked before the turn ends, and repaired once where it does not fit. */
export type OutputSchemaBody = {
  name: string;
  /** A JSON Schema with `"type": "object"` at its root. */
  schema: Record<string, unknown>;
  /** Whether Chat Completions holds the model to it strictly. */
  strict?: boolean | null | undefined;
  /** `instructions`: the schema stands in the system prompt, and the provider is not given it. */
  mode?: 'native' | 'instructions' | null | undefined;
};

/** How the history is made shorter, what is sent of it: what is kept stays whole. */
export type ContextBody = {
  strategy: 'none' | 'summarize' | 'drop_tool_results';
  /** Done before a request that would be larger, by estimate; by default once the provider refuses it. */
  max_input_tokens?: number | null | undefined;
  /** How many of the last rounds are sent as they are; 4 by default. */
  keep_last_rounds?: number | null | undefined;
  /** Who writes summaries; the turn's own model by default. */
  model?: string | null | undefined;
};

type StartingBody = {
  /**
   * While another turn of the conversation is active: wait for it (the default), 409, cancel it, join it, or join the last one
   * that has not begun. The turn that an input joins is answered in the place of a new one.
   */
  on_active_turn?: 'enqueue' | 'reject' | 'interrupt' | 'steer' | 'merge' | null | undefined;
  /** With `merge`: the turn begins so long after the last input, and at most ten times as long after the first. */
  debounce_ms?: number | null | undefined;
  /** Before this time, RFC 3339 and within a year, the turn is not begun; it holds up no other turn. */
  start_at?: string | null | undefined;
  /** The same, in seconds from now. */
  delay_seconds?: number | null | undefined;
  /** Higher runs first; 0 by default. */
  priority?: number | null | undefined;
  /** At most 16 pairs. */
  metadata?: Record<string, string> | null | undefined;
};

/** What a tool may need. */
export type Capability = 'network' | 'filesystem' | 'database' | 'shell';

/** Where events of a turn are sent. */
export type WebhookBody = {
  url: string;
  /** All but `round.completed` by default. */
  events?: (`turn.${TerminalStatus | 'requires_action'}` | 'round.completed')[] | null | undefined;
  /** `turn`: the whole turn is sent along. */
  include?: 'turn'[] | null | undefined;
};

/** A tool and its rules. Without `execution` the client runs it, unless a tool of the server has its name. */
type ToolBody = {
  type?: 'function' | undefined;
  name: string;
  description?: string | null | undefined;
  /** The JSON Schema of the arguments, an object. */
  parameters?: Record<string, unknown> | null | undefined;
  execution?:
    | { kind: 'server' }
    | { kind: 'client' }
    | { kind: 'http'; url: string; headers?: Record<string, string> | undefined }
    | { kind: 'mcp'; server: string }
    | null
    | undefined;
  /** What repeating a call would do, after a crash or a lost answer. `at_most_once` by default. */
  effect?: 'none' | 'idempotent' | 'at_most_once' | null | undefined;
  timeout_ms?: number | null | undefined;
  retry?: { max_attempts?: number | undefined; backoff_ms?: number | undefined } | null | undefined;
  /** Whether a person has to allow each call. */
  approval?: 'never' | 'always' | null | undefined;
  expires_in_seconds?: number | null | undefined;
  cache_ttl_seconds?: number | null | undefined;
  rate_limit?: { max: number; per_seconds: number } | null | undefined;
  capabilities?: Capability[] | null | undefined;
  status_text?: string | null | undefined;
};
