import { z } from 'zod';

/** One block of a message as the wire has it. What is not known here is kept as it came. */
export const Block = z.looseObject({ type: z.string() });
export type Block = z.infer<typeof Block>;

const count = z.number().nullish();
const Usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(null),
});
export type WireUsage = z.infer<typeof Usage>;
// What only counts must not cost a reply that can be read.
const usage = Usage.nullish().catch(null);

const Delta = z.looseObject({
  type: z.string().nullish(),
  stop_reason: z.string().nullish(),
  container: z.object({ id: z.string() }).nullish().catch(null),
});
/** What one event adds: to a block, or to the message itself. */
export type BlockDelta = z.infer<typeof Delta>;

/**
 * One event of a Messages stream, whichever it is; a reply sent whole (`type: message`) is one event. Kinds that
 * are not known may come at any time and say nothing to us.
 */
export const Event = z.object({
  type: z.string(),
  index: z.int().nullish(),
  message: z.object({ usage }).nullish(),
  content_block: Block.nullish(),
  delta: Delta.nullish(),
  usage,
  content: z.array(Block).nullish(),
  stop_reason: z.string().nullish(),
  container: Delta.shape.container,
});
export type Event = z.infer<typeof Event>;
