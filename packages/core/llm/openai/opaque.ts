import { z } from 'zod';
import type { CallAccumulator } from './gather-calls.ts';
import type { Thoughts } from './gather-thoughts.ts';

/** What this wire wants back with a message; `calls` stands in the order of the calls, null where there is nothing. */
const Opaque = z.object({
  message: z.record(z.string(), z.unknown()).default({}),
  calls: z.array(z.unknown()).default([]),
});
export type Opaque = z.infer<typeof Opaque>;

/** The state to store with a reply, or null where the server wants nothing back. */
export function opaqueOf(thoughts: Thoughts, calls: CallAccumulator[]): Opaque | null {
  // `reasoning` is the readable half of `reasoning_details`; a server that sends both wants the details.
  const { reasoning, ...rest } = thoughts;
  const message = rest.reasoning_details ? rest : { ...thoughts };
  const extras = calls.map(({ extra }) => extra);
  const hasExtras = extras.some((extra) => extra !== null);
  if (Object.keys(message).length === 0 && !hasExtras) return null;
  return { message, calls: hasExtras ? extras : [] };
}

const NOTHING: Opaque = { message: {}, calls: [] };

/** Reads a stored state; one that was never ours is nothing. */
export function readOpaque(state: unknown): Opaque {
  // Most messages have none, and each request reads those of its whole history.
  return state === null ? NOTHING : (Opaque.safeParse(state).data ?? NOTHING);
}
