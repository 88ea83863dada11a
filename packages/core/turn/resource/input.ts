import { summaryMessage } from '../compaction/sent-history.ts';
import { shownContent } from '../parts/part-data.ts';
import { type InputItem, isMessage, type MessageItem, type Part, plainContent } from '../request/item.ts';

type Shown = { role: 'user' | 'assistant' | 'system'; content: string | Part[] };

/**
 * A turn's input as native reads show it: roles with texts or parts, and the path of a blob where a part had data. A call
 * that was made elsewhere stands as what the assistant said, its result as a system message with notes for images and
 * files. A compaction is shown as the message that a model reads, and opaque state is not shown.
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
    case 'compaction':
      return [summaryMessage(item.summary)];
    case 'opaque_state':
      return [];
  }
}
