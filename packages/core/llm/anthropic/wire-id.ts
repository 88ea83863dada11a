import type { Message } from '../../turn/message.ts';
import { wireName } from '../wire-name.ts';

/**
 * The same history with ids this wire takes. An id may hold letters, digits, `_` and `-` and must not come
 * twice in one request; turns and providers know nothing of each other's ids, so a repeated one gets a number.
 */
export function withWireIds(messages: Message[]): Message[] {
  const used = new Set<string>();
  let renamed = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: renamed.get(message.callId) ?? wireName(message.callId) };
    if (message.role !== 'assistant') return message;
    renamed = new Map(message.calls.map(({ id }) => [id, freshId(wireName(id), used)]));
    const calls = message.calls.map((call) => ({ ...call, id: renamed.get(call.id) ?? call.id }));
    return { ...message, calls };
  });
}

function freshId(id: string, used: Set<string>): string {
  let fresh = id;
  for (let number = 2; used.has(fresh); number += 1) fresh = `${id}-${number}`;
  used.add(fresh);
  return fresh;
}
