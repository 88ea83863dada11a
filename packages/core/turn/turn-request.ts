import { z } from 'zod';
import { Json } from './json.ts';
import { InputMessage } from './message.ts';
import { Tool } from './tool.ts';

export const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('specific'), name: z.string().min(1) }),
]);
export type ToolChoice = z.infer<typeof ToolChoice>;

const Limits = z.strictObject({
  max_rounds: z.int().min(1).max(1000).nullish(),
  max_tool_calls: z.int().min(1).max(10_000).nullish(),
  max_total_tokens: z.int().min(1).nullish(),
  deadline_seconds: z.int().min(1).max(31_536_000).nullish(),
});

export const WebhookEvent = z.enum([
  'turn.completed',
  'turn.incomplete',
  'turn.failed',
  'turn.cancelled',
  'turn.requires_action',
]);

export const Webhook = z.strictObject({
  url: z.url({
    protocol: /^https?$/,
    error: ({ input }) => (input === undefined ? undefined : 'give an http or https URL'),
  }),
  events: z.array(WebhookEvent).min(1, 'name at least one event').nullish(),
  include: z.array(z.literal('turn')).nullish(),
});
export type Webhook = z.infer<typeof Webhook>;

/** A webhook with its defaults filled in: every event it may have, the thin form. */
export type Subscription = { url: string; events: z.infer<typeof WebhookEvent>[]; include: 'turn'[] };

const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'give at most 16 pairs');

const standing = {
  model: z
    .string()
    .regex(/^[a-z0-9_-]+\/.+$/i, 'name the model as provider/model, for example openai/gpt-4.1')
    .nullish(),
  instructions: z.string().nullish(),
  tools: z
    .array(z.union([z.string(), Tool]))
    .max(128)
    .nullish(),
  tool_choice: ToolChoice.nullish(),
  tool_mode: z.enum(['native', 'emulated', 'inline']).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  limits: Limits.nullish(),
  allowed_capabilities: z.array(z.enum(['network', 'filesystem', 'database', 'shell'])).nullish(),
  provider_options: z.record(z.string(), Json).nullish(),
  webhook: Webhook.nullish(),
};

const input = z.union([z.string().min(1, 'give some text'), z.array(InputMessage).min(1, 'give at least one message')]);

const starting = {
  on_active_turn: z.enum(['enqueue', 'reject', 'interrupt']).nullish(),
  priority: z.int().min(-1000).max(1000).nullish(),
};

/** A conversation's standing configuration: what each of its turns inherits. */
export const StandingConfig = z.strictObject(standing);
export type StandingConfig = z.output<typeof StandingConfig>;

/** `POST /v1/conversations/:id/turns` and `POST /v1/turns` (contract: Turn request). */
export const TurnRequest = z.strictObject({ ...standing, ...starting, input, metadata: Metadata.nullish() });
export type TurnRequest = z.output<typeof TurnRequest>;

/** `POST /v1/conversations`: with `input` it also starts the first turn. */
export const ConversationRequest = z.strictObject({
  ...standing,
  ...starting,
  input: input.nullish(),
  metadata: Metadata.nullish(),
});
export type ConversationRequest = z.output<typeof ConversationRequest>;

/** How one turn is worked: its own fields over the conversation's, every default filled in, every tool resolved. */
export type TurnConfig = {
  model: string;
  instructions: string | null;
  tools: Tool[];
  tool_choice: ToolChoice;
  tool_mode: 'native' | 'emulated' | 'inline';
  parallel_tool_calls: boolean | null;
  temperature: number | null;
  max_output_tokens: number | null;
  limits: {
    max_rounds: number;
    max_tool_calls: number;
    max_total_tokens: number | null;
    deadline_seconds: number | null;
  };
  allowed_capabilities: string[] | null;
  provider_options: Record<string, unknown>;
  webhook: Subscription | null;
};
