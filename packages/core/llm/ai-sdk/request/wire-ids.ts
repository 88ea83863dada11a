import type { Message } from '../../../turn/message.ts';
import { isMistral, type Receiver, wireIdFor } from '../../wire-id.ts';
import { readOpaque } from '../opaque.ts';

/**
 * The same history with ids that servers take, each only once. An id that the provider gave goes back. Any other id
 * that a server would refuse, or that comes twice, becomes a part of its hash, the same in every request.
 */
export function withWireIds(messages: Message[], receiver: Receiver): Message[] {
  const wireId = wireIdFor(receiver);
  const takesOwnIds = !isMistral(receiver);
  const used = new Set<string>();
  let renamed = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: renamed.get(message.callId) ?? wireId(message.callId) };
    if (message.role !== 'assistant') return message;
    const given = takesOwnIds ? givenIds(message, receiver.provider) : [];
    renamed = new Map(message.calls.map(({ id }, index) => [id, freshId(id, { wireId, used, given: given[index] })]));
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: renamed.get(call.id) ?? call.id })) };
  });
}

function givenIds({ opaque }: Extract<Message, { role: 'assistant' }>, provider: string): (string | undefined)[] {
  const given: (string | undefined)[] = [];
  const state = opaque?.provider === provider ? readOpaque(opaque.state) : null;
  for (const part of state?.parts ?? []) if ('call' in part) given[part.call] = part.id;
  return given;
}

type Naming = { wireId: (id: string) => string; used: Set<string>; given: string | undefined };

function freshId(id: string, { wireId, used, given }: Naming): string {
  let fresh = given === undefined || used.has(given) ? wireId(id) : given;
  // No id that a server takes as it is has a blank in it.
  for (let number = 2; used.has(fresh); number += 1) fresh = wireId(`${id} ${number}`);
  used.add(fresh);
  return fresh;
}
