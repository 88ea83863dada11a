import { systemPrompt } from '../../turn/system-prompt.ts';
import type { RoundRequest } from '../provider.ts';
import { renderHistory } from '../render-history.ts';
import { defaultMaxTokens } from './default-max-tokens.ts';
import type { Block } from './event.ts';
import { renderMessages, type WireMessage } from './render-messages.ts';
import { renderTools } from './render-tools.ts';

/** The body of a Messages request; the provider options may add any field. */
export type Body = Record<string, unknown> & {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  stream: true;
};

/**
 * Our words as a Messages body. It always streams: nothing else is read, whatever the options say. Instructions and
 * the system messages the history begins with are its system prompt. The wire refuses calls in the history where no
 * tools are declared: where none may be, they are told as text.
 */
export function renderRequest(request: RoundRequest, provider: string): Body {
  const { model, instructions, temperature, maxOutputTokens, providerOptions } = request;
  const { system, rest } = systemPrompt(request.messages, instructions);
  const spoken = request.declaredTools === null ? renderHistory(rest) : rest;
  return {
    model,
    max_tokens: maxOutputTokens ?? defaultMaxTokens(model, providerOptions),
    ...(system ? { system } : {}),
    messages: renderMessages(spoken, provider),
    ...renderTools(request),
    ...(temperature === null ? {} : { temperature }),
    ...providerOptions,
    stream: true,
  };
}

/** The request that lets a paused reply go on: the same, with what it has written so far. */
export function renderResumption(body: Body, blocks: Block[], container: string | null): Body {
  const messages: WireMessage[] = [...body.messages, { role: 'assistant', content: blocks }];
  return { ...body, messages, ...(container ? { container } : {}) };
}

/** The request's headers that depend on it: sampling is known only to the API's earlier version. */
export function versionHeaders(body: Body): Record<string, string> {
  const samples = ['temperature', 'top_p', 'top_k'].some((field) => body[field] !== undefined);
  return samples ? { 'anthropic-version': '2023-06-01' } : {};
}
