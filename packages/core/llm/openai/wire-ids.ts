import { createHash } from 'node:crypto';
import type { Message } from '../../turn/message.ts';
import { readOpaque } from './opaque.ts';

const MISTRALS = /mistral|ministral|mixtral|magistral|codestral|devstral|pixtral|voxtral/i;

type Receiver = { provider: string; model: string };

/** Whether a model is Mistral's, wherever it is hosted. Its ids have exactly nine letters and digits. */
export function isMistral({ provider, model }: Receiver): boolean {
  return MISTRALS.test(`${provider}/${model}`);
}

type Assistant = Extract<Message, { role: 'assistant' }>;

/**
 * The same history with the ids of calls that the receiver takes. An id that the receiver gave goes back as it came. Any other id
 * that OpenAI (40 characters) or Mistral (nine) would refuse becomes a part of its hash, the same in every request.
 */
export function withWireIds(messages: Message[], receiver: Receiver): Message[] {
  const rename = isMistral(receiver) ? nineCharacters : fortyCharacters;
  const used = new Set<string>();
  let given = new Map<string, string>();
  const wireId = (id: string) => given.get(id) ?? rename(id);
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: wireId(message.callId) };
    if (message.role === 'user') used.clear();
    if (message.role !== 'assistant') return message;
    given = rename === fortyCharacters ? givenIds(message, receiver.provider, used) : new Map();
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: wireId(call.id) })) };
  });
}

/** The ids that the provider gave to the calls of a message, by the ids that Pawl has for them; none that comes again. */
function givenIds({ calls, opaque }: Assistant, provider: string, used: Set<string>): Map<string, string> {
  const given = new Map<string, string>();
  if (opaque?.provider !== provider) return given;
  for (const [index, state] of readOpaque(opaque.state).asked.entries()) {
    const own = calls[index]?.id;
    if (own === undefined || !state?.id || used.has(state.id)) continue;
    used.add(state.id);
    given.set(own, state.id);
  }
  return given;
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
