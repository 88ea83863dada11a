import type { Message } from '../../turn/message.ts';
import { isMistral, type Receiver, wireIdFor } from '../wire-id.ts';
import { readOpaque } from './opaque.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;

/** The same history with ids that the receiver takes. An id that the receiver gave goes back as it came. */
export function withWireIds(messages: Message[], receiver: Receiver): Message[] {
  const wireId = wireIdFor(receiver);
  const takesOwnIds = !isMistral(receiver);
  const used = new Set<string>();
  let given = NO_IDS;
  const idOf = (id: string) => given.get(id) ?? wireId(id);
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: idOf(message.callId) };
    if (message.role === 'user') used.clear();
    if (message.role !== 'assistant') return message;
    given = takesOwnIds && message.opaque?.provider === receiver.provider ? givenIds(message, used) : NO_IDS;
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: idOf(call.id) })) };
  });
}

const NO_IDS: ReadonlyMap<string, string> = new Map();

/** Returns the ids that the provider gave to the calls of a message, by Pawl's ids. A used id is left out. */
function givenIds({ calls, opaque }: Assistant, used: Set<string>): Map<string, string> {
  const given = new Map<string, string>();
  for (const [index, state] of readOpaque(opaque?.state).asked.entries()) {
    const own = calls[index]?.id;
    if (own === undefined || !state?.id || used.has(state.id)) continue;
    used.add(state.id);
    given.set(own, state.id);
  }
  return given;
}
