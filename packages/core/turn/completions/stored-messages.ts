import { wholeInput } from '../inputs/joined-input.ts';
import { shownContent } from '../parts/part-data.ts';
import { type InputItem, isMessage, type MessageItem, type Part, plainContent } from '../request/item.ts';
import type { Turn } from '../turn.ts';
import { completionIdOf, isFunctionCallId } from './completion-id.ts';
import type { CompletionCall } from './completion-message.ts';

/** A listed message of a request, in the shape of Chat Completions, without its id. */
type StoredMessage = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';
  content: string | null;
  content_parts: Record<string, unknown>[] | null;
  name: string | null;
  tool_calls?: CompletionCall[];
  function_call?: { name: string; arguments: string };
  tool_call_id?: string;
};

/**
 * Lists the messages of a completion's request, in order, each with its id. The first message has the instructions.
 * Calls are part of the message with the text before them.
 */
export function storedMessages(turn: Turn): (StoredMessage & { id: string })[] {
  const { instructions } = turn.config;
  const messages = instructions ? [message('system', instructions)] : [];
  for (const item of wholeInput(turn)) addItem(messages, item);
  return messages.map((each, index) => ({ id: `${completionIdOf(turn.id)}-${index}`, ...each }));
}

function message(role: StoredMessage['role'], content: string | null): StoredMessage {
  return { role, content, content_parts: null, name: null };
}

function addItem(messages: StoredMessage[], item: InputItem): void {
  if (isMessage(item)) {
    messages.push(messageOf(item));
    return;
  }
  switch (item.type) {
    case 'function_call': {
      const { call_id: id, name, arguments: args } = item;
      const called = { name, arguments: args };
      if (isFunctionCallId(id)) speaker(messages).function_call = called;
      else addCall(messages, { id, type: 'function', function: called });
      return;
    }
    case 'custom_tool_call':
      addCall(messages, { id: item.call_id, type: 'custom', custom: { name: item.name, input: item.input } });
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push(resultOf(item, messages));
  }
}

/** Returns the model's message that a call belongs to: the last message, or a new message. */
function speaker(messages: StoredMessage[]): StoredMessage {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && !last.function_call) return last;
  const added = message('assistant', null);
  messages.push(added);
  return added;
}

function addCall(messages: StoredMessage[], call: CompletionCall): void {
  const asking = speaker(messages);
  asking.tool_calls ??= [];
  asking.tool_calls.push(call);
}

type Output = Extract<InputItem, { type: 'function_call_output' | 'custom_tool_call_output' }>;

function resultOf({ call_id, output }: Output, messages: StoredMessage[]): StoredMessage {
  const result = { ...message('tool', null), ...contentOf(output) };
  if (!isFunctionCallId(call_id)) return { ...result, tool_call_id: call_id };
  const asked = messages.findLast((each) => each.function_call);
  return { ...result, role: 'function', name: asked?.function_call?.name ?? null };
}

function messageOf({ role, content }: MessageItem): StoredMessage {
  return { ...message(role, null), ...contentOf(content) };
}

function contentOf(content: string | Part[]): Pick<StoredMessage, 'content' | 'content_parts'> {
  const shown = shownContent(content);
  if (typeof shown === 'string') return { content: shown, content_parts: null };
  return { content: plainContent(shown), content_parts: shown.map(partOf) };
}

function partOf(part: Part): Record<string, unknown> {
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url, detail: part.detail ?? 'auto' } };
    case 'input_audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'input_file': {
      const { filename, file_data, file_url } = part;
      return { type: 'file', file: { filename, ...(file_data ? { file_data } : { file_url }) } };
    }
  }
}
