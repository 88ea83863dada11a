import type { Message, RequestedCall } from '#core/turn/message.ts';

export function user(content: string): Message {
  return { role: 'user', content };
}

export function system(content: string): Message {
  return { role: 'system', content };
}

export function call(id: string, args = '{}', name = 'get_weather'): RequestedCall {
  return { id, name, arguments: args };
}

/** Makes rounds of a model, with the state of this provider if given. */
export function roundsOf(provider: string) {
  return (content: string | null, calls: RequestedCall[] = [], state?: unknown): Message => ({
    ...{ role: 'assistant', content, calls },
    ...(state ? { opaque: { provider, state } } : {}),
  });
}

export function answer(callId: string, content: string, more: object = {}): Message {
  return { role: 'tool', callId, name: 'get_weather', content, isError: false, ...more };
}
