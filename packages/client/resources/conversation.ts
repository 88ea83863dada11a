import type { Limits } from './limits.ts';
import type { AdoptedCalls, InputMessage, InputPart, Round } from './turn.ts';
import type {
  Capability,
  ContextBody,
  ModelRetryBody,
  OutputSchemaBody,
  PromptCache,
  ServiceTier,
  WebhookBody,
} from './turn-request.ts';

/** A conversation as the API returns it: what its turns inherit, with every default filled in. */
export type ConversationResource = {
  id: string;
  object: 'conversation';
  model: string | null;
  /** The models that are asked where that one cannot answer. */
  fallback_models: string[];
  instructions: string | null;
  tools: (string | ToolResource)[];
  tool_choice: 'auto' | 'none' | 'required' | { type: 'specific'; name: string };
  tool_mode: 'native' | 'emulated' | 'inline';
  parallel_tool_calls: boolean | null;
  temperature: number | null;
  top_p: number | null;
  reasoning_effort: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  verbosity: 'low' | 'medium' | 'high' | null;
  stop: string[] | null;
  seed: number | null;
  max_output_tokens: number | null;
  output_schema: OutputSchemaBody | null;
  context: ContextBody | null;
  provider_options: Record<string, unknown> | null;
  provider_headers: Record<string, string> | null;
  model_retry: ModelRetryBody | null;
  prompt_cache: PromptCache;
  service_tier: ServiceTier | null;
  tier_fallback: 'default' | null;
  limits: Limits;
  allowed_capabilities: Capability[] | null;
  webhook: WebhookBody | null;
  metadata: Record<string, string>;
  active_turn_id: string | null;
  /** The turn that its history begins with, of a fork; null of any other. */
  forked_from: string | null;
  /** Up to which round of that turn; null where all of it is history. */
  after_round: number | null;
  created_at: string;
  expires_in_seconds: number | null;
  /** When it goes with all its turns; null where it does not, and while one of them is active. */
  expires_at: string | null;
};

/** What a turn ran with: every default filled in, every tool resolved. */
export type TurnConfigResource = Pick<
  ConversationResource,
  | ('fallback_models' | 'instructions' | 'tool_choice' | 'tool_mode' | 'parallel_tool_calls')
  | ('max_output_tokens' | 'prompt_cache' | 'service_tier' | 'tier_fallback' | 'limits')
> & {
  model: string;
  /** The providers that are asked over Responses although they also speak Chat Completions. */
  wires: Record<string, 'openai-responses'>;
  sampling: Pick<ConversationResource, 'temperature' | 'top_p' | 'reasoning_effort' | 'verbosity' | 'stop' | 'seed'>;
  tools: ToolResource[];
  output_schema: {
    name: string;
    schema: Record<string, unknown>;
    strict: boolean | null;
    mode: 'native' | 'instructions';
  } | null;
  context: {
    strategy: 'summarize' | 'drop_tool_results';
    max_input_tokens: number | null;
    keep_last_rounds: number;
    model: string | null;
  } | null;
  allowed_capabilities: string[] | null;
  provider_options: Record<string, unknown>;
  provider_headers: Record<string, string>;
  model_retry: { max_attempts?: number; timeout_ms?: number; idle_timeout_ms?: number } | null;
  webhook: { url: string; events: string[]; include: 'turn'[] } | null;
};

/** One message as it is kept; only an answer that took rounds of tool calls has `rounds`. */
export type CompactMessage = {
  role: InputMessage['role'];
  content: string | InputPart[] | null;
  turn_id: string;
  created_at: string;
  adopted_calls?: AdoptedCalls;
  rounds?: Round[];
};

/** A tool with every default filled in. */
type ToolResource = {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  execution:
    | { kind: 'server' }
    | { kind: 'client' }
    | { kind: 'http'; url: string; headers: Record<string, string> }
    | { kind: 'mcp'; server: string }
    | null;
  effect: 'none' | 'idempotent' | 'at_most_once';
  timeout_ms: number;
  retry: { max_attempts: number; backoff_ms: number };
  approval: 'never' | 'always';
  expires_in_seconds: number | null;
  cache_ttl_seconds: number;
  rate_limit: { max: number; per_seconds: number } | null;
  capabilities: Capability[];
  status_text: string | null;
};
