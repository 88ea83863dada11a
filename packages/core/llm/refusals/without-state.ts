import { ProviderFailed } from '../../failure.ts';
import { noted } from '../../turn/hosted/hosted-notes.ts';
import type { Message } from '../../turn/message.ts';
import type { RoundRequest } from '../provider.ts';
import { nextThoughtState } from './thought-state.ts';

/** Returns whether a failure refuses state of earlier rounds that the request has for the provider of this name. */
export function refusesState(failure: unknown, { messages }: RoundRequest, name: string): boolean {
  if (!(failure instanceof ProviderFailed) || !hasKeptState(messages, name)) return false;
  const { message: text, code, provider } = failure;
  return nextThoughtState({ status: provider.status, text, code }, { isKept: true, isFilled: true }) !== null;
}

/** Returns the request without the state of earlier rounds. The ids of calls stay. */
export function withoutState(request: RoundRequest): RoundRequest {
  return { ...request, messages: request.messages.map(refused) };
}

/** Returns whether a history has state to send to the provider of this name. */
export function hasKeptState(messages: readonly Message[], name: string): boolean {
  return messages.some((message) => {
    const opaque = message.role === 'assistant' ? message.opaque : undefined;
    return opaque?.provider === name && !opaque.isRefused;
  });
}

function refused(message: Message): Message {
  if (message.role !== 'assistant' || !message.opaque) return message;
  return { ...noted(message), opaque: { ...message.opaque, isRefused: true } };
}
