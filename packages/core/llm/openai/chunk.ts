import { z } from 'zod';
import { lenient, lenientIndex, lenientNumber, lenientText, lenientWord } from '../reply/lenient.ts';

const Called = z.looseObject({ name: lenientText, arguments: z.unknown().optional() });

const CallDelta = z.looseObject({ index: lenientIndex, id: lenientWord, function: Called.nullish() });
/** A delta of a call. Some servers send no index, no id, or the whole call at once. */
export type CallDelta = z.infer<typeof CallDelta>;

const textPart = (text: string) => ({ type: 'text', text, thinking: null });
const TypedPart = z.object({
  type: z.string(),
  text: lenientText,
  thinking: lenient(z.union([z.array(z.object({ text: lenientText })), z.string().transform((text) => [{ text }])])),
});
const TextPart = z.object({ text: z.string() }).transform(({ text }) => textPart(text));
// Cloudflare sends JSON that it was asked for as an object.
const JsonPart = z
  .record(z.string(), z.unknown())
  .transform((json) => textPart(Object.keys(json).length > 0 ? JSON.stringify(json) : ''));
const ListedPart = z.union([z.string().transform(textPart), TypedPart, TextPart, JsonPart]);

const ChunkDelta = z.looseObject({
  content: z
    .union([z.string(), z.array(ListedPart), z.union([TypedPart, JsonPart]).transform((part) => [part])])
    .nullish(),
  refusal: lenientText,
  // Some servers send a single call without a list.
  tool_calls: z.union([z.array(CallDelta), CallDelta.transform((call) => [call])]).nullish(),
  function_call: Called.nullish(),
});
/** One chunk's addition to the reply. Fields without a name here are reasoning, or other state of the server. */
export type ChunkDelta = z.infer<typeof ChunkDelta>;

const Usage = z.object({
  prompt_tokens: lenientNumber,
  completion_tokens: lenientNumber,
  total_tokens: lenientNumber,
  prompt_cache_hit_tokens: lenientNumber,
  reasoning_tokens: lenientNumber,
  prompt_tokens_details: lenient(z.object({ cached_tokens: lenientNumber })),
  completion_tokens_details: lenient(z.object({ reasoning_tokens: lenientNumber })),
});
export type WireUsage = z.infer<typeof Usage>;
const usage = lenient(Usage);

const Choice = z.object({
  index: lenientIndex,
  delta: ChunkDelta.nullish(),
  message: ChunkDelta.nullish(),
  finish_reason: lenientWord,
  usage,
});
/** One choice of a chunk. */
export type Choice = z.infer<typeof Choice>;

/**
 * One chunk of a Chat Completions stream, as loosely as servers keep to it; a reply sent whole (`message`) is one
 * chunk.
 * - Usage is at the top, beside the choice (Moonshot) or under `x_groq`.
 * - Only text and calls have to be readable. A field of an odd type counts as missing, and a chunk without choices says
 *   nothing more than its usage.
 */
export const Chunk = z.object({
  choices: z.array(Choice.nullish()).nullish(),
  usage,
  x_groq: lenient(z.object({ usage })),
});
export type Chunk = z.infer<typeof Chunk>;
