import { isRecord } from '../../json.ts';
import type { CacheTtl } from '../provider.ts';
import type { Body } from './render-messages.ts';

type Mark = { cache_control: { type: 'ephemeral'; ttl?: '1h' } };
type Fields = Record<string, unknown>;

/**
 * Marks the end of the system prompt (without a system prompt, the last tool), of the previous request and of this
 * request. A cache is read at a mark or up to 20 blocks before it. So the second mark finds the entry of the previous
 * request. A body with marks of the caller stays unchanged.
 */
export function markCache(body: Body, ttl: CacheTtl | null): Body {
  if (isMarked(body)) return body;
  // The default time of the wire is five minutes.
  const mark: Mark = { cache_control: { type: 'ephemeral', ...(ttl === '1h' ? { ttl } : {}) } };
  return { ...body, ...markFront(body, mark), ...markMessages(body, mark) };
}

function isMarked({ cache_control, system, tools, messages }: Body): boolean {
  if (cache_control !== undefined) return true;
  const contents = Array.isArray(messages) ? messages.map((message: unknown) => fieldsOf(message).content) : [];
  return [system, tools, ...contents].some(hasMark);
}

/** Returns whether a block has a mark, also within: results and documents contain blocks. */
function hasMark(blocks: unknown): boolean {
  if (!Array.isArray(blocks)) return false;
  return blocks.map(fieldsOf).some(({ cache_control: mark, content, source }) => {
    return (mark !== undefined && mark !== null) || hasMark(content) || hasMark(fieldsOf(source).content);
  });
}

function markFront({ system, tools }: Body, mark: Mark): Fields {
  const marked = markLast(system, mark, takesMark);
  if (marked) return { system: marked };
  // A tool that is loaded later is not part of the prefix.
  const offered = markLast(tools, mark, (tool) => tool.defer_loading !== true);
  return offered ? { tools: offered } : {};
}

/** Marks the end of this request and of the previous request, which ended before the model's last message. */
function markMessages({ messages }: Body, mark: Mark): { messages?: Body['messages'] } {
  if (!Array.isArray(messages)) return {};
  const given: unknown[] = messages;
  const spoken = given.findLastIndex((message) => fieldsOf(message).role === 'assistant');
  const marked = new Map<number, unknown>();
  for (const end of [spoken, given.length]) {
    const found = markedBefore(given.slice(0, Math.max(0, end)), mark);
    if (found) marked.set(found.index, found.message);
  }
  return { messages: given.map((message, index) => marked.get(index) ?? message) as Body['messages'] };
}

/** Returns the last message with a block to mark, with the mark, or null. */
function markedBefore(messages: unknown[], mark: Mark): { index: number; message: Fields } | null {
  for (const [index, message] of [...messages.entries()].reverse()) {
    const content = markLast(fieldsOf(message).content, mark, takesMark);
    if (content) return { index, message: { ...fieldsOf(message), content } };
  }
  return null;
}

/** Excludes thoughts and blank texts, which take no mark. */
function takesMark({ type, text }: Fields): boolean {
  if (type === 'thinking' || type === 'redacted_thinking') return false;
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}

/** Returns the blocks with a mark on the last suitable block, or null if there is none. A text is one block. */
function markLast(given: unknown, mark: Mark, takes: (block: Fields) => boolean): Fields[] | null {
  const blocks: unknown = typeof given === 'string' ? [{ type: 'text', text: given }] : given;
  if (!Array.isArray(blocks)) return null;
  const last = blocks.findLastIndex((block) => isRecord(block) && takes(block));
  return last === -1 ? null : blocks.with(last, { ...blocks[last], ...mark });
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
