import { summaryMessage } from '../compaction/sent-history.ts';
import { shownContent } from '../parts/part-data.ts';
import { type InputItem, isMessage, type MessageItem, type Part, plainContent } from '../request/item.ts';

type Shown = { role: 'user' | 'assistant' | 'system'; content: string | Part[] };

/**
 * Returns a turn's input for native responses, with paths of blobs for data. An external call is the assistant's
 * text, its result a system message, a compaction the message for models. Opaque state is hidden.
 */
export function presentInput(items: InputItem[]): Shown[] {
  return items.flatMap((item) => (isMessage(item) ? [presentMessage(item)] : presentOther(item)));
}

function presentMessage({ role, content }: MessageItem): Shown {
  return { role: role === 'developer' ? 'system' : role, content: shownContent(content) };
}

function presentOther(item: Exclude<InputItem, MessageItem>): Shown[] {
  switch (item.type) {
    case 'function_call':
    case 'mcp_call':
    case 'mcp_approval_request':
      return [{ role: 'assistant', content: `${item.name}(${item.arguments})` }];
    case 'custom_tool_call':
      return [{ role: 'assistant', content: `${item.name}(${item.input})` }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ role: 'system', content: `${item.call_id} answered: ${plainContent(item.output)}` }];
    case 'mcp_approval_response':
      return [{ role: 'system', content: `${item.approval_request_id} was ${item.approve ? 'allowed' : 'denied'}` }];
    case 'hosted_call':
      return [{ role: 'assistant', content: `${item.call.type}(${JSON.stringify(item.call.input ?? {})})` }];
    case 'compaction':
      return [summaryMessage(item.summary)];
    case 'opaque_state':
      return [];
  }
}
