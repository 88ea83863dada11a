/** What a text has to be: any text, any JSON object, or JSON that fits a schema. */
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

/** The fields that a caller of a response sent and its answers show again (contract-responses R16), with defaults. */
export type ResponseRequest = {
  /** The model's name as it was sent. */
  model: string;
  background: boolean;
  previous_response_id: string | null;
  /** The conversation that the caller named; null where one was begun for the response. */
  conversation: string | null;
  instructions: string | null;
  /** The tools as they were sent, with `description`, `parameters` and `strict` present. */
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
  /** How many items at the head of the input came from the kept response of a WebSocket. Absent: none. */
  kept_items?: number;
};

/** The part of a Chat Completions request that its completion needs later, beside its `ResponseRequest`. */
export type CompletionRequest = {
  /** The client sent `functions`, the older form of `tools`, and its answer has a `function_call`. */
  usesFunctions?: true;
  /** The hash of the messages (contract-responses R83); absent if no later completion can continue this one. */
  messagesHash?: string;
};
