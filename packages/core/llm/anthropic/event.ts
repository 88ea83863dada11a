import { countIn, type Fields, fieldsIn, indexIn, partIn, partsIn, textIn, wordIn } from '../reply/fields.ts';
import { UnusableReply } from '../unusable-reply.ts';

/** One block of a message as the wire has it. What is not known here is kept as it came. */
export type Block = Fields & { type: string };

/** The addition of one event to a block, as it came. Some servers leave the type out. */
export type BlockDelta = Fields;

/** The counts that a server gave. A count that it left out is missing. */
export type WireUsage = { [Name in (typeof COUNTS)[number]]?: number } & {
  ephemeral_1h_input_tokens?: number;
  thinking_tokens?: number;
  /** The tier that the server reports. */
  service_tier?: string;
};

const COUNTS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const;

/** The end of a message: why the model stopped, the container of the server's own tools, and the counts. */
export type Ending = { stopReason: string | null; container: string | null; usage: WireUsage | null };

/**
 * One event of a Messages stream; a reply sent whole is one event. Kinds that are not known may come at any time and
 * say nothing to us.
 */
export type Event =
  | { kind: 'start'; usage: WireUsage | null; message: Fields }
  | { kind: 'block'; index: number | null; block: Block }
  | { kind: 'delta'; index: number | null; delta: BlockDelta }
  | ({ kind: 'end' } & Ending)
  | { kind: 'stop'; stopReason: string | null }
  | ({ kind: 'whole'; blocks: Block[]; message: Fields } & Ending)
  | { kind: 'nothing' };

/** Reads one event. Only blocks and their pieces have to be readable, else it throws an `UnusableReply`. */
export function readEvent(raw: unknown): Event {
  const event = fieldsIn(raw) ?? {};
  const index = indexIn(event.index);
  // Some servers leave out the type of a message that comes whole.
  switch (event.type ?? (event.role === 'assistant' ? 'message' : undefined)) {
    case 'message_start': {
      const message = fieldsIn(event.message) ?? {};
      return { kind: 'start', usage: readCounts(message.usage), message };
    }
    case 'content_block_start': {
      const [block] = partsIn(event.content_block);
      return block ? { kind: 'block', index, block: readBlock(block) } : { kind: 'nothing' };
    }
    case 'content_block_delta': {
      const delta = partIn(event.delta);
      return delta ? { kind: 'delta', index, delta } : { kind: 'nothing' };
    }
    case 'message_delta':
      // Some servers put the reason to stop beside the delta.
      return { kind: 'end', ...readEnding({ ...event, ...partIn(event.delta) }, event.usage) };
    case 'message_stop':
      return { kind: 'stop', stopReason: wordIn(event.stop_reason) };
    case 'message':
      return { kind: 'whole', blocks: readBlocks(event.content), message: event, ...readEnding(event, event.usage) };
    default:
      return { kind: 'nothing' };
  }
}

function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : [];
  return partsIn(content).map(readBlock);
}

/** Reads a block. It is a copy, to which the pieces are added. */
function readBlock(block: Fields): Block {
  const type = textIn(block.type) ?? (typeof block.text === 'string' ? 'text' : null);
  if (type === null) throw new UnusableReply('a block without a type');
  return { ...block, type };
}

function readEnding({ stop_reason, container }: Fields, usage: unknown): Ending {
  const id = textIn(fieldsIn(container)?.id);
  return { stopReason: wordIn(stop_reason), container: id, usage: readCounts(usage) };
}

function readCounts(value: unknown): WireUsage | null {
  const usage = fieldsIn(value);
  if (!usage) return null;
  const counts: WireUsage = {};
  for (const name of COUNTS) {
    const count = countIn(usage[name]);
    if (count !== null) counts[name] = count;
  }
  const longer = countIn(fieldsIn(usage.cache_creation)?.ephemeral_1h_input_tokens);
  const tier = wordIn(usage.service_tier);
  const thinking = countIn(fieldsIn(usage.output_tokens_details)?.thinking_tokens);
  return {
    ...counts,
    ...(longer === null ? {} : { ephemeral_1h_input_tokens: longer }),
    ...(thinking === null ? {} : { thinking_tokens: thinking }),
    ...(tier === null ? {} : { service_tier: tier }),
  };
}
