import { z } from 'zod';

const CallDelta = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
  extra_content: z.unknown().optional(),
});
/** A delta of a call; some servers send no index, no id, or the whole call at once. */
export type CallDelta = z.infer<typeof CallDelta>;

const ContentPart = z.object({
  type: z.string(),
  text: z.string().nullish(),
  thinking: z.array(z.object({ text: z.string().nullish() })).nullish(),
});
export type ContentPart = z.infer<typeof ContentPart>;

const ChunkDelta = z.object({
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_details: z.array(z.record(z.string(), z.unknown())).nullish().catch(null),
  extra_content: z.unknown().optional(),
  tool_calls: z.array(CallDelta).nullish(),
  function_call: CallDelta.shape.function,
});
/** What one chunk adds to the reply. */
export type ChunkDelta = z.infer<typeof ChunkDelta>;

const count = z.number().nullish();
const Usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_cache_hit_tokens: count,
  reasoning_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
});
export type WireUsage = z.infer<typeof Usage>;
// What only counts must not cost a reply that can be read.
const usage = Usage.nullish().catch(null);

/**
 * One chunk of a Chat Completions stream, as loosely as servers keep to it; a reply sent whole (`message`) is one
 * chunk. Usage stands at the top, beside the choice (Moonshot) or under `x_groq`.
 */
export const Chunk = z.object({
  object: z.string().nullish(),
  choices: z.array(
    z.object({
      index: z.int().nullish(),
      delta: ChunkDelta.nullish(),
      message: ChunkDelta.nullish(),
      finish_reason: z.string().nullish(),
      usage,
    }),
  ),
  usage,
  x_groq: z.object({ usage }).nullish().catch(null),
});
export type Chunk = z.infer<typeof Chunk>;
