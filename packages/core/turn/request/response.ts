/** The form of a text: any text, any JSON object, or JSON that fits a schema. */
export type TextFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name: string;
      schema: Record<string, unknown>;
      strict?: boolean | null;
      description?: string | null;
    };

/** The requested fields of a response that its answers repeat, with defaults. */
export type ResponseRequest = {
  /** The model's name as the caller sent it. */
  model: string;
  /** The agent of the request, in OpenAI's shape. Absent without one. */
  prompt?: { id: string; version: string | null; variables: Record<string, unknown> | null };
  background: boolean;
  previous_response_id: string | null;
  /** The conversation in the request, or null if Pawl created a conversation for the response. */
  conversation: string | null;
  instructions: string | null;
  /** The tools as the caller sent them, with `description`, `parameters` and `strict` present. */
  tools: Record<string, unknown>[];
  tool_choice: unknown;
  parallel_tool_calls: boolean;
  max_tool_calls: number | null;
  max_output_tokens: number | null;
  temperature: number;
  top_p: number;
  presence_penalty: number;
  frequency_penalty: number;
  top_logprobs: number;
  text: { format: TextFormat; verbosity: string | null };
  reasoning: { effort: string | null; summary: string | null };
  service_tier: string;
  include: string[];
  user: string | null;
  safety_identifier: string | null;
  prompt_cache_key: string | null;
  /** The number of first input items that the kept response of a WebSocket added. Absent means none. */
  kept_items?: number;
};

/** The part of a Chat Completions request that its completion needs later, beside its `ResponseRequest`. */
export type CompletionRequest = {
  /** The client sent `functions`, the older form of `tools`, and its answer has a `function_call`. */
  usesFunctions?: true;
  /** The hash of the messages. Absent if no later completion can continue this completion. */
  messagesHash?: string;
};
