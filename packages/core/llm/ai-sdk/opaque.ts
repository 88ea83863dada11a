import { z } from 'zod';
import { cleanText } from '../../text.ts';

/**
 * Data of a package with a part, such as signatures and ids, by the name of its provider. The package requires it
 * back.
 */
export const Metadata = z.record(z.string(), z.record(z.string(), z.json()));
export type Metadata = z.infer<typeof Metadata>;

const metadata = { metadata: Metadata.optional() };

const KeptPart = z.union([
  z.strictObject({ text: z.int().min(0), lead: z.int().optional(), ...metadata }),
  z.strictObject({ call: z.int().min(0), id: z.string().optional(), ...metadata }),
  z.strictObject({ reasoning: z.string(), ...metadata }),
  z.strictObject({ custom: z.string(), ...metadata }),
]);
/**
 * One part of a reply for later requests. `text` is a length in UTF-16 units, after `lead` units that Pawl inserted.
 * `call` is the index of a call, with its `id` if Pawl or another server would change it. The round already has the
 * text and the calls. `custom` is the kind of a part that only its package knows.
 */
export type KeptPart = z.infer<typeof KeptPart>;

const Opaque = z.object({ parts: z.array(KeptPart) });
export type Opaque = z.infer<typeof Opaque>;

/** Returns the state to store with a reply, or null if its text and calls are enough. */
export function opaqueOf(parts: KeptPart[]): Opaque | null {
  const isNeeded = parts.some(
    (part) => part.metadata || 'reasoning' in part || 'custom' in part || ('call' in part && part.id),
  );
  if (!isNeeded) return null;
  // Postgres cannot store NUL, not even in JSON.
  return JSON.parse(JSON.stringify({ parts }), (_, value) => (typeof value === 'string' ? cleanText(value) : value));
}

/** Reads a stored state. A foreign state counts as empty. */
export function readOpaque(state: unknown): Opaque | null {
  return Opaque.safeParse(state).data ?? null;
}
