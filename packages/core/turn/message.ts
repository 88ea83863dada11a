import { z } from 'zod';
import type { HostedCall } from './hosted/hosted.ts';
import { InputPart, MAX_PARTS } from './request/input-part.ts';
import type { Part } from './request/item.ts';

/** One message of a turn's input, as callers send it. */
export const InputMessage = z
  .strictObject({
    role: z.enum(['user', 'assistant', 'system']).describe('Who speaks.'),
    content: z
      .union([
        z.string().min(1, 'give the message some text'),
        z.array(InputPart).min(1, 'give the message some text').max(MAX_PARTS),
      ])
      .describe('The content: a text or parts. Only a user’s message may have parts other than texts.'),
  })
  .meta({
    id: 'InputMessage',
    description: 'A message of a turn’s input.',
    examples: [
      { role: 'user', content: 'How is the weather in Lisbon?' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is on it?' },
          { type: 'input_image', image_url: 'https://example.com/cat.png' },
        ],
      },
    ],
  });
export type InputMessage = z.infer<typeof InputMessage>;

/** A call as the model requested it. `arguments` is the model's own JSON text, byte for byte. */
export type RequestedCall = { id: string; name: string; arguments: string };

/**
 * A message of the expanded history, for the adapters. Results follow in the order of the calls. `opaque` is sent
 * back unchanged to its provider. `parts` are all parts of a message, and `content` is their text with notes for
 * media. `parts` of an assistant are the images that the model made. `hosted` are calls that the provider ran, for
 * other providers.
 */
export type Message =
  | { role: 'user' | 'system'; content: string; parts?: Part[] }
  | ({ role: 'assistant'; content: string | null; calls: RequestedCall[] } & AssistantExtras)
  | { role: 'tool'; callId: string; name: string; content: string; isError: boolean; parts?: Part[] };

/** The parts of a reply beside its text and its calls. */
export type AssistantExtras = { opaque?: OpaqueState; hosted?: HostedCall[]; parts?: Part[] };

/**
 * State that a provider returned with a reply. If the provider has refused it since, only the ids of calls are sent
 * back.
 */
export type OpaqueState = { provider: string; state: unknown; isRefused?: boolean };

/** Estimates the characters of messages, including parts but not the data of parts. */
export function sizeOfMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const called = 'calls' in message ? message.calls.reduce((all, call) => all + call.arguments.length, 0) : 0;
    return sum + (message.content?.length ?? 0) + called;
  }, 0);
}
