import type {
  LanguageModelV4Message as PromptMessage,
  LanguageModelV4ToolCallPart as ToolCallPart,
} from '@ai-sdk/provider';
import { argumentsAsObject } from '../../../turn/history/as-object.ts';
import { systemAsUser, systemPrompt } from '../../../turn/history/system-prompt.ts';
import type { Message, RequestedCall } from '../../../turn/message.ts';
import type { Part } from '../../../turn/request/item.ts';
import { renderWithNotes } from '../../parts/missing-note.ts';
import { partsBehindResults } from '../../parts/parts-behind-results.ts';
import { isMistral, type Receiver, wireIdFor } from '../../wire-id.ts';
import { wireName } from '../../wire-name.ts';
import { type KeptPart, readOpaque } from '../opaque.ts';
import { renderPart, type UserPart } from './render-parts.ts';

type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content'];
type AssistantPart = AssistantContent[number];

/** The context of a prompt besides its messages. */
export type About = {
  instructions: string | null;
  provider: string;
  model: string;
  /** Returns whether the model accepts a part. A note replaces other parts. */
  mayShow: (part: Part) => boolean;
};

/**
 * Renders the history as a prompt: one system message first, user messages at both ends, all results of a batch in
 * one message. A later system message becomes a marked user message, since most packages refuse it.
 */
export function renderPrompt(messages: Message[], about: About): PromptMessage[] {
  const { system, rest } = systemPrompt(messages, about.instructions);
  // Many packages would send parts inside a result to the model as base64 text.
  const spoken = withWireIds(partsBehindResults(rest, renderPart), about);
  const rendered = spoken.map((message) => render(message, about)).filter(({ content }) => content.length > 0);
  return [...(system ? [{ role: 'system', content: system } as const] : []), ...fromUserToUser(merge(rendered))];
}

function render(message: Message, { provider, mayShow }: About): PromptMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: renderInput(message, mayShow) };
    case 'system':
      return { role: 'user', content: message.content.trim() ? words(systemAsUser(message.content)) : [] };
    case 'assistant':
      return { role: 'assistant', content: renderAssistant(message, provider) };
    case 'tool':
      return resultMessage(message);
  }
}

function renderInput(
  { content, parts }: Extract<Message, { role: 'user' | 'system' }>,
  mayShow: About['mayShow'],
): UserPart[] {
  if (!parts) return words(content);
  return renderWithNotes(parts, (part) => (mayShow(part) ? renderPart(part) : null));
}

function words(text: string): { type: 'text'; text: string }[] {
  return text.trim() ? [{ type: 'text', text }] : [];
}

function resultMessage({ callId, name, content, isError }: Extract<Message, { role: 'tool' }>): PromptMessage {
  const value = content.trim() ? content : '(no output)';
  const output = { type: isError ? 'error-text' : 'text', value } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName: wireName(name), output }] };
}

/** Joins adjacent messages of users, and adjacent answers to calls. */
function merge(messages: PromptMessage[]): PromptMessage[] {
  const merged: PromptMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === 'user' && message.role === 'user') last.content.push(...message.content);
    else if (last?.role === 'tool' && message.role === 'tool') last.content.push(...message.content);
    else merged.push({ ...message });
  }
  return merged;
}

/** Adds user messages if a conversation begins or ends with the model, since many models require them. */
function fromUserToUser(messages: PromptMessage[]): PromptMessage[] {
  const opening = messages.at(0)?.role === 'user' ? [] : [user('(The conversation begins here.)')];
  const ending = messages.at(-1)?.role === 'assistant' ? [user('Go on.')] : [];
  return [...opening, ...messages, ...ending];
}

function user(text: string): PromptMessage {
  return { role: 'user', content: words(text) };
}

type Spoken = Extract<Message, { role: 'assistant' }>;

/** Renders a reply. A reply of this provider has its original parts. Any other reply is its text, then its calls. */
function renderAssistant(spoken: Spoken, provider: string): AssistantContent {
  const { content, calls, opaque } = spoken;
  if (!content?.trim() && calls.length === 0) return [];
  const state = opaque?.provider === provider && !opaque.isRefused ? readOpaque(opaque.state) : null;
  if (!state || !fits(state.parts, spoken)) return [...words(content ?? ''), ...calls.map(callPart)];
  let at = 0;
  const parts = state.parts.flatMap((kept): AssistantPart[] => {
    const options = kept.metadata ? { providerOptions: kept.metadata } : {};
    if ('reasoning' in kept) return [{ type: 'reasoning', text: kept.reasoning, ...options }];
    if ('custom' in kept) return [{ type: 'custom', kind: kept.custom as `${string}.${string}`, ...options }];
    if ('call' in kept) return calls.slice(kept.call, kept.call + 1).map((call) => ({ ...callPart(call), ...options }));
    const start = at + (kept.lead ?? 0);
    at = start + kept.text;
    return [{ type: 'text', text: content?.slice(start, at) ?? '', ...options }];
  });
  return endOnWords(parts.filter(isSaying));
}

/** Returns whether a part has content: a blank text has none, unless the package added data. */
function isSaying(part: AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '' || part.providerOptions !== undefined;
}

/** Removes thoughts at the end of a message, since the content after them was cut. */
function endOnWords(parts: AssistantPart[]): AssistantPart[] {
  return parts.slice(0, parts.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/** Returns whether the stored round matches the reply, since a dialect may have changed it. */
function fits(parts: KeptPart[], { content, calls }: Spoken): boolean {
  const length = parts.reduce((sum, part) => sum + ('text' in part ? part.text + (part.lead ?? 0) : 0), 0);
  const places = parts.flatMap((part) => ('call' in part ? part.call : []));
  return length === (content ?? '').length && places.join() === [...calls.keys()].join();
}

function callPart({ id, name, arguments: args }: RequestedCall): ToolCallPart {
  return { type: 'tool-call', toolCallId: id, toolName: wireName(name), input: argumentsAsObject(args) };
}

/**
 * Returns the history with valid and unique ids. An id of the provider stays. Any other id that a server would
 * refuse, or that is repeated, becomes a part of its hash, the same in every request.
 */
function withWireIds(messages: Message[], receiver: Receiver): Message[] {
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
  // No valid id contains a blank.
  for (let number = 2; used.has(fresh); number += 1) fresh = wireId(`${id} ${number}`);
  used.add(fresh);
  return fresh;
}
