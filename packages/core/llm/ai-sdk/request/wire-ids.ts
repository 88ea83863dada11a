import { createHash } from 'node:crypto';
import type { Message } from '../../../turn/message.ts';
import { readOpaque } from '../opaque.ts';

/** Models that want ids of exactly nine letters and digits, wherever they are hosted. */
const MISTRALS = /mistral|ministral|mixtral|magistral|codestral|devstral|pixtral|voxtral/i;

/**
 * The same history with ids that servers take: an id that some would refuse, because another provider or Pawl made it or
 * because it comes twice, becomes a part of its hash, the same in every request. An id that the provider gave goes back.
 */
export function withWireIds(messages: Message[], { provider, model }: Receiver): Message[] {
  const rename = MISTRALS.test(`${provider}/${model}`) ? nineCharacters : fortyCharacters;
  const used = new Set<string>();
  let renamed = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: renamed.get(message.callId) ?? rename(message.callId) };
    if (message.role !== 'assistant') return message;
    const given = rename === fortyCharacters ? givenIds(message, provider) : [];
    renamed = new Map(message.calls.map(({ id }, index) => [id, freshId(id, { rename, used, given: given[index] })]));
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: renamed.get(call.id) ?? call.id })) };
  });
}

type Receiver = { provider: string; model: string };

function givenIds({ opaque }: Extract<Message, { role: 'assistant' }>, provider: string): (string | undefined)[] {
  const given: (string | undefined)[] = [];
  const state = opaque?.provider === provider ? readOpaque(opaque.state) : null;
  for (const part of state?.parts ?? []) if ('call' in part) given[part.call] = part.id;
  return given;
}

type Naming = { rename: (id: string) => string; used: Set<string>; given: string | undefined };

function freshId(id: string, { rename, used, given }: Naming): string {
  let fresh = given === undefined || used.has(given) ? rename(id) : given;
  // No id that a server takes as it is has a blank in it.
  for (let number = 2; used.has(fresh); number += 1) fresh = rename(`${id} ${number}`);
  used.add(fresh);
  return fresh;
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
