import { z } from 'zod';

/** One message of a turn's input, as callers send it. */
export const InputMessage = z
  .strictObject({
    role: z.enum(['user', 'assistant', 'system']).describe('Who speaks.'),
    content: z.string().min(1, 'give the message some text').describe('What is said.'),
  })
  .meta({
    id: 'InputMessage',
    description: 'One message of a turn’s input.',
    examples: [{ role: 'user', content: 'How is the weather in Lisbon?' }],
  });
export type InputMessage = z.infer<typeof InputMessage>;

/** A call as the model asked for it. `arguments` is the model's own JSON text, byte for byte. */
export type AskedCall = { id: string; name: string; arguments: string };

/**
 * One message of the expanded history that leaves for a provider, in our words; an adapter renders it into its wire.
 * A round's text and calls stand in one assistant message, each result follows in the order of the calls.
 * `opaque` is what the provider named `provider` wants back verbatim with that message.
 */
export type Message =
  | { role: 'user' | 'system'; content: string }
  | { role: 'assistant'; content: string | null; calls: AskedCall[]; opaque?: { provider: string; state: unknown } }
  | { role: 'tool'; callId: string; name: string; content: string; isError: boolean };
