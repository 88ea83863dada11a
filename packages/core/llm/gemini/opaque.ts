import { z } from 'zod';
import { cleanText } from '../../text.ts';

const signature = { thoughtSignature: z.string().optional() };

const KeptPart = z.union([
  z.strictObject({ text: z.int().min(0), ...signature }),
  z.strictObject({ call: z.int().min(0), id: z.string().optional(), ...signature }),
  z.strictObject({ whole: z.record(z.string(), z.unknown()) }),
]);
/**
 * One part of a reply for later requests. `text` is a length in UTF-16 units, `call` the index of a call, since the
 * round already has their content. `whole` is any other part, unchanged.
 */
export type KeptPart = z.infer<typeof KeptPart>;

const Opaque = z.object({ parts: z.array(KeptPart) });
export type Opaque = z.infer<typeof Opaque>;

/**
 * Returns the state to store with a reply, or null if the round's text and calls are enough. A reply with hosted calls
 * always has a state, so that its own provider gets no notes about calls that only the metadata reports.
 */
export function opaqueOf(parts: KeptPart[], hasHosted: boolean): Opaque | null {
  const isNeeded =
    hasHosted || parts.some((part) => 'whole' in part || part.thoughtSignature || ('call' in part && part.id));
  if (!isNeeded) return null;
  // Postgres cannot store NUL, not even in JSON.
  return JSON.parse(JSON.stringify({ parts }), (_, value) => (typeof value === 'string' ? cleanText(value) : value));
}

/** Reads a stored state. A foreign state counts as empty. */
export function readOpaque(state: unknown): Opaque | null {
  return Opaque.safeParse(state).data ?? null;
}
