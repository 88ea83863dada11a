import { z } from 'zod';
import { isOddId } from '../reply/odd-id.ts';
import { type Block, textAt } from './block.ts';

/** The blocks of a message as they came. Of a call it has only the place, and an id that Pawl had to replace. */
const Opaque = z.object({ blocks: z.array(z.looseObject({ type: z.string() })) });
export type Opaque = z.infer<typeof Opaque>;

/** The state to store with a reply, or null where its text and calls say everything. */
export function opaqueOf(blocks: Block[], isCut: boolean): Opaque | null {
  const kept = isCut ? blocks.filter((block) => isWhole(block, blocks)) : blocks;
  if (!kept.some(saysMore)) return null;
  let call = -1;
  return {
    blocks: kept.map((block) => {
      if (block.type !== 'tool_use') return block;
      const { id, name: _name, input: _input, ...rest } = block;
      call += 1;
      return { ...rest, call, ...(isOddId(id) ? { id } : {}) };
    }),
  };
}

/** Reads a stored state; one that was never ours is nothing. */
export function readOpaque(state: unknown): Block[] {
  const { data } = Opaque.safeParse(state);
  return data?.blocks ?? [];
}

function saysMore({ type, citations, caller, id }: Block): boolean {
  if (type === 'text') return Array.isArray(citations) && citations.length > 0;
  if (type !== 'tool_use' || isOddId(id)) return true;
  return typeof caller === 'object' && caller !== null && 'type' in caller && caller.type !== 'direct';
}

/** A reply that was cut may end in a thought without its signature, or a server's call without its result. */
function isWhole(block: Block, blocks: Block[]): boolean {
  if (block.type === 'thinking') return textAt(block, 'signature') !== '';
  if (block.type !== 'server_tool_use') return true;
  return blocks.some(({ tool_use_id }) => tool_use_id === block.id);
}
