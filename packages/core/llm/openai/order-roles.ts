import type {
  ChatCompletionAssistantMessageParam as AssistantParam,
  ChatCompletionContentPart as PartParam,
  ChatCompletionToolMessageParam as ResultParam,
} from 'openai/resources/chat/completions';
import { systemAsUser } from '../../turn/history/system-prompt.ts';

/**
 * The orders of roles that servers of this wire require. Each order includes the requirements of the orders before
 * it.
 */
export const ROLE_ORDERS = ['any', 'system-first', 'alternate', 'user-only'] as const;
export type RoleOrder = (typeof ROLE_ORDERS)[number];

type System = { role: 'system'; content: string };
type User = { role: 'user'; content: string | PartParam[] };
type Assistant = Omit<AssistantParam, 'content'> & { content: string | null };

/** One message of Pawl on this wire. */
export type WireMessage = System | User | Assistant | ResultParam;

export function stricterOrder(one: RoleOrder, other: RoleOrder): RoleOrder {
  return includes(one, other) ? one : other;
}

/** Returns the messages in an order that the server accepts, at least one message. */
export function orderRoles(messages: WireMessage[], order: RoleOrder): WireMessage[] {
  if (order === 'any') return orOpening(messages);
  const placed = withoutLateSystem(messages);
  if (!includes(order, 'alternate')) return orOpening(mergeNeighbours(placed));
  const alternating = bridgeResults(startOnUser(mergeNeighbours(goOn(placed))));
  return order === 'user-only' ? withoutSystem(alternating) : alternating;
}

function includes(order: RoleOrder, demands: RoleOrder): boolean {
  return ROLE_ORDERS.indexOf(order) >= ROLE_ORDERS.indexOf(demands);
}

/** A message for a history without a user's message, if the server requires one there. */
const OPENING: User = { role: 'user', content: '(The conversation begins here.)' };

/** A message between results and the user's next message. */
const BRIDGE: Assistant = { role: 'assistant', content: '(The tools have answered.)' };

/** A message for a history without the user's answer to the model. */
const ENDING: User = { role: 'user', content: 'Go on.' };

function orOpening(messages: WireMessage[]): WireMessage[] {
  return messages.length > 0 ? messages : [OPENING];
}

/** Replaces system messages after the start by marked user messages. */
function withoutLateSystem(messages: WireMessage[]): WireMessage[] {
  const start = startOf(messages);
  return messages.map((message, index) =>
    index > start && message.role === 'system' ? { role: 'user', content: systemAsUser(message.content) } : message,
  );
}

/** Returns the index of the first message that is not a system message. */
function startOf(messages: WireMessage[]): number {
  const start = messages.findIndex(({ role }) => role !== 'system');
  return start === -1 ? messages.length : start;
}

function mergeNeighbours(messages: WireMessage[]): WireMessage[] {
  const merged: WireMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const both = last && mergeTwo(last, message);
    if (both) merged[merged.length - 1] = both;
    else merged.push(message);
  }
  return merged;
}

function mergeTwo(one: WireMessage, next: WireMessage): WireMessage | null {
  if (one.role === 'system' && next.role === 'system') {
    return { role: 'system', content: `${one.content}\n\n${next.content}` };
  }
  if (one.role === 'user' && next.role === 'user') return joinUsers(one, next);
  if (one.role !== 'assistant' || next.role !== 'assistant' || one.tool_calls) return null;
  // One message can contain the state of only one message.
  return isPlain(one) || isPlain(next) ? { ...one, ...next, content: joinTexts(one.content, next.content) } : null;
}

/** Returns whether a message of the assistant has no state of the server. */
function isPlain({ role: _role, content: _content, tool_calls: _calls, ...state }: Assistant): boolean {
  return Object.keys(state).length === 0;
}

function joinTexts(one: string | null, next: string | null): string | null {
  return one?.trim() && next?.trim() ? `${one}\n\n${next}` : one?.trim() ? one : next;
}

function joinUsers({ content: one }: User, { content: next }: User): User {
  if (typeof one === 'string' && typeof next === 'string') return { role: 'user', content: joinTexts(one, next) ?? '' };
  return { role: 'user', content: [...partsOf(one), ...partsOf(next)] };
}

function partsOf(content: User['content']): PartParam[] {
  if (typeof content !== 'string') return content;
  return content.trim() ? [{ type: 'text', text: content }] : [];
}

function startOnUser(messages: WireMessage[]): WireMessage[] {
  const start = startOf(messages);
  return messages[start]?.role === 'user' ? messages : messages.toSpliced(start, 0, OPENING);
}

function bridgeResults(messages: WireMessage[]): WireMessage[] {
  return messages.flatMap((message, index) =>
    message.role === 'user' && messages[index - 1]?.role === 'tool' ? [BRIDGE, message] : [message],
  );
}

/** Adds a user message after a message of the model if no user message follows. Later requests keep it. */
function goOn(messages: WireMessage[]): WireMessage[] {
  return messages.flatMap((message, index) => {
    const next = messages[index + 1]?.role ?? 'assistant';
    return message.role === 'assistant' && !message.tool_calls && next === 'assistant' ? [message, ENDING] : [message];
  });
}

/** Puts the system prompt at the start of the first user message. */
function withoutSystem(messages: WireMessage[]): WireMessage[] {
  const [system, user, ...rest] = messages;
  if (system?.role !== 'system' || user?.role !== 'user') return messages;
  return [joinUsers({ role: 'user', content: system.content }, user), ...rest];
}
