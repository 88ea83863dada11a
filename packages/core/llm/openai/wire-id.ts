import { createHash } from 'node:crypto';
import type { Message } from '../../turn/message.ts';

/** Models whose servers want ids of exactly nine letters and digits, also where somebody else hosts them. */
const MISTRALS = /mistral|ministral|mixtral|magistral|codestral|devstral|pixtral|voxtral/i;

/** Whom the ids go to: OpenAI takes 40 characters of them, most other servers more. */
export type Receiver = { provider: string; model: string };

/**
 * The same history with ids the receiver takes. Those it would refuse are of another provider, or of Pawl's own
 * making; each is replaced by a part of its hash, the same in every request.
 */
export function withWireIds(messages: Message[], { provider, model }: Receiver): Message[] {
  const rename = MISTRALS.test(`${provider}/${model}`) ? nineCharacters : fortyCharacters;
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: rename(message.callId) };
    if (message.role !== 'assistant') return message;
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: rename(call.id) })) };
  });
}

function fortyCharacters(id: string): string {
  return /^[a-zA-Z0-9_-]{1,40}$/.test(id) ? id : `call_${hash(id).slice(0, 32)}`;
}

function nineCharacters(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : hash(id).slice(0, 9);
}

function hash(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
