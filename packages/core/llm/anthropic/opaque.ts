import { z } from 'zod';
import { isOddId } from '../reply/odd-id.ts';
import { type Block, textAt } from './block.ts';

/**
 * The unchanged blocks of a message. A call has only its index, and an id that Pawl had to replace. `container` is
 * null if the container of earlier replies has expired.
 */
const Opaque = z.object({
  blocks: z.array(z.looseObject({ type: z.string() })),
  container: z.looseObject({ id: z.string() }).nullish(),
});
export type Opaque = z.infer<typeof Opaque>;

/** The rest of a reply: whether it was cut, and the container of its code. */
type Rest = { isCut: boolean; container?: z.infer<typeof Opaque>['container'] };

/** Returns the state to store with a reply, or null if its text and calls are enough. */
export function opaqueOf(blocks: Block[], { isCut, container }: Rest): Opaque | null {
  const kept = isCut ? blocks.filter((block) => isWhole(block, blocks)) : blocks;
  if (!container && !kept.some(saysMore)) return null;
  let call = -1;
  return {
    ...(container ? { container } : {}),
    blocks: kept.map((block) => {
      if (block.type !== 'tool_use') return block;
      const { id, name: _name, input: _input, ...rest } = block;
      call += 1;
      return { ...rest, call, ...(isOddId(id) ? { id } : {}) };
    }),
  };
}

/** Reads a stored state. A foreign state counts as empty. */
export function readOpaque(state: unknown): Block[] {
  const { data } = Opaque.safeParse(state);
  return data?.blocks ?? [];
}

/** Returns the container in a stored state. Undefined if the state names no container, and null after an expiry. */
export function containerIn(state: unknown): Opaque['container'] {
  return Opaque.safeParse(state).data?.container;
}

/** Returns the state of a reply after the container of earlier replies has expired. */
export function withoutContainer(state: unknown): unknown {
  const { data = { blocks: [] } } = Opaque.safeParse(state);
  return data.container ? state : { ...data, container: null };
}

function saysMore({ type, citations, caller, id }: Block): boolean {
  if (type === 'text') return Array.isArray(citations) && citations.length > 0;
  if (type !== 'tool_use' || isOddId(id)) return true;
  return typeof caller === 'object' && caller !== null && 'type' in caller && caller.type !== 'direct';
}

/**
 * Excludes incomplete blocks at the end of a cut reply: a thought without a signature, or a server's call without a
 * result.
 */
function isWhole(block: Block, blocks: Block[]): boolean {
  if (block.type === 'thinking') return textAt(block, 'signature') !== '';
  if (block.type !== 'server_tool_use') return true;
  return blocks.some(({ tool_use_id }) => tool_use_id === block.id);
}
