import { z } from 'zod';
import { cleanText } from '../../text.ts';

const signature = { thoughtSignature: z.string().optional() };

const KeptPart = z.union([
  z.strictObject({ text: z.int().min(0), ...signature }),
  z.strictObject({ call: z.int().min(0), id: z.string().optional(), ...signature }),
  z.strictObject({ whole: z.record(z.string(), z.unknown()) }),
]);
/**
 * One part of a reply as it must stand when it goes back. `text` is a length in UTF-16 units, `call` the place of a
 * call: what they hold is stored with the round already. `whole` is any other part, verbatim.
 */
export type KeptPart = z.infer<typeof KeptPart>;

const Opaque = z.object({ parts: z.array(KeptPart) });
export type Opaque = z.infer<typeof Opaque>;

/** The state to store with a reply, or null where the order of its parts is all there is to know. */
export function opaqueOf(parts: KeptPart[]): Opaque | null {
  const isTold = parts.some((part) => 'whole' in part || part.thoughtSignature || ('call' in part && part.id));
  if (!isTold) return null;
  // Postgres holds no NUL, not even in JSON.
  return JSON.parse(JSON.stringify({ parts }), (_, value) => (typeof value === 'string' ? cleanText(value) : value));
}

/** Reads a stored state; one that was never ours is nothing. */
export function readOpaque(state: unknown): Opaque | null {
  return Opaque.safeParse(state).data ?? null;
}
