import { z } from 'zod';
import { cleanText } from '../../text.ts';

/** What a package says beside a part and wants back with it, by the name of its provider: signatures, ids. */
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
 * One part of a reply as it must stand when it goes back. `text` is a length in UTF-16 units, behind `lead` of them
 * that Pawl has put in between; `call` is the place of a call, with its `id` if Pawl or another server would change
 * that. The round has the text and the calls already. `custom` is the kind of a part that only its package knows.
 */
export type KeptPart = z.infer<typeof KeptPart>;

const Opaque = z.object({ parts: z.array(KeptPart) });
export type Opaque = z.infer<typeof Opaque>;

/** The state to store with a reply, or null where its text and calls say everything. */
export function opaqueOf(parts: KeptPart[]): Opaque | null {
  const isTold = parts.some(
    (part) => part.metadata || 'reasoning' in part || 'custom' in part || ('call' in part && part.id),
  );
  if (!isTold) return null;
  // Postgres holds no NUL, not even in JSON.
  return JSON.parse(JSON.stringify({ parts }), (_, value) => (typeof value === 'string' ? cleanText(value) : value));
}

/** Reads a stored state; one that was never ours is nothing. */
export function readOpaque(state: unknown): Opaque | null {
  return Opaque.safeParse(state).data ?? null;
}
