import type { Content } from '@google/genai';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message, RequestedCall } from '#core/turn/message.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

/** The contents these messages leave as. */
export function contentsOf(messages: Message[], change: Partial<RoundRequest> = {}): Content[] {
  const request = { ...someRequest, messages, instructions: null, ...change };
  return renderRequest(request, 'gemini').contents as Content[];
}

export function user(content: string): Message {
  return { role: 'user', content };
}

export function call(id: string, args = '{}', name = 'get_weather'): RequestedCall {
  return { id, name, arguments: args };
}

/** A round of the model, with the state that Gemini left where there is one. */
export function round(content: string | null, calls: RequestedCall[], state?: unknown): Message {
  return { role: 'assistant', content, calls, ...(state ? { opaque: { provider: 'gemini', state } } : {}) };
}

export function answer(callId: string, content: string, more: object = {}): Message {
  return { role: 'tool', callId, name: 'get_weather', content, isError: false, ...more };
}
