import { isRecord } from '../../../json.ts';
import type { Block } from '../block.ts';

type Spoken = { role: 'user' | 'assistant'; content: Block[] };

const RESULT = /_tool_result$/;

/**
 * Removes calls of server tools that can get no result any more, and results without their calls. The wire refuses
 * both. A call may get its result in a later reply, as long as only results of functions are between them.
 * `mayResume` is false if calls at the end of the history can get no result.
 */
export function settleServerCalls<Message extends Spoken>(messages: Message[], mayResume: boolean): Message[] {
  const dropped = droppedCalls(messages, mayResume);
  const called = new Set<unknown>();
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.content.some(isServerBlock)) return message;
    const content = message.content.flatMap((block) => settle(block, dropped, called));
    return { ...message, content };
  });
}

function isServerBlock({ type, caller }: Block): boolean {
  return isServerCall(type) || isServerResult(type) || isRecord(caller);
}

function isServerCall(type: string): boolean {
  return type === 'server_tool_use';
}

function isServerResult(type: string): boolean {
  return RESULT.test(type) && type !== 'mcp_tool_result';
}

/** Returns the calls that have no result, and can get no later result. */
function droppedCalls(messages: readonly Spoken[], mayResume: boolean): Set<unknown> {
  const dropped = new Set<unknown>();
  const open = new Set<unknown>();
  for (const { role, content } of messages) {
    if (role === 'user' && content.some(({ type }) => type !== 'tool_result')) moveAll(open, dropped);
    if (role === 'user') continue;
    for (const { type, id, tool_use_id: answered } of content) {
      if (isServerCall(type)) open.add(id);
      else if (isServerResult(type)) open.delete(answered);
    }
  }
  if (!mayResume) moveAll(open, dropped);
  return dropped;
}

function moveAll(from: Set<unknown>, to: Set<unknown>): void {
  for (const each of from) to.add(each);
  from.clear();
}

/** Returns a block, unless it belongs to a dropped call. A function that dropped code called is called directly. */
function settle(block: Block, dropped: Set<unknown>, called: Set<unknown>): Block[] {
  const { type, id, caller, tool_use_id: answered } = block;
  const isOfDropped = isRecord(caller) && dropped.has(caller.tool_id);
  if (isServerCall(type)) {
    if (isOfDropped) dropped.add(id);
    if (dropped.has(id)) return [];
    called.add(id);
    return [block];
  }
  if (isServerResult(type)) return called.has(answered) && !dropped.has(answered) ? [block] : [];
  if (!isOfDropped) return [block];
  const { caller: _, ...direct } = block;
  return [direct];
}
