import { z } from 'zod';
import { lenient, lenientIndex, lenientNumber, lenientText, lenientWord } from '../reply/lenient.ts';

/** One block of a message as the wire has it. What is not known here is kept as it came. */
export const Block = z.looseObject({ type: z.string() });
export type Block = z.infer<typeof Block>;

const Usage = z.object({
  input_tokens: lenientNumber,
  cache_creation_input_tokens: lenientNumber,
  cache_read_input_tokens: lenientNumber,
  output_tokens: lenientNumber,
  output_tokens_details: lenient(z.object({ thinking_tokens: lenientNumber })),
});
export type WireUsage = z.infer<typeof Usage>;
const usage = lenient(Usage);

const Delta = z.looseObject({
  type: lenientText,
  stop_reason: lenientWord,
  container: lenient(z.object({ id: z.string() })),
});
/** The addition of one event: to a block, or to the message itself. */
export type BlockDelta = z.infer<typeof Delta>;

/**
 * One event of a Messages stream, whichever it is; a reply sent whole (`type: message`) is one event. Only blocks and
 * their pieces have to be readable. Kinds that are not known may come at any time and say nothing to us.
 */
export const Event = z.object({
  type: z.string(),
  index: lenientIndex,
  message: lenient(z.object({ usage })),
  content_block: Block.nullish(),
  delta: Delta.nullish(),
  usage,
  content: z.union([z.array(Block), z.string().transform((text) => [{ type: 'text', text }])]).nullish(),
  stop_reason: lenientWord,
  container: Delta.shape.container,
});
export type Event = z.infer<typeof Event>;

/** The kinds of events that add to a reply, or end it. */
export const KINDS: ReadonlySet<unknown> = new Set([
  ...['message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'message_stop', 'message'],
]);
