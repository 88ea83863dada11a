import type { z } from 'zod';
import type { HostedCall } from '../hosted/hosted.ts';
import type { InputPart } from './input-part.ts';

/**
 * A part of a message or of a result. URLs are `data:` or https and never fetched. `data` is base64. Rows have the
 * address of a blob in place of inline data (`parts/blob-address.ts`).
 */
export type Part = z.infer<typeof InputPart>;

/** A message of a turn's input. Only a user's message has parts. */
export type MessageItem = { role: 'user' | 'assistant' | 'system' | 'developer'; content: string | Part[] };

/**
 * A normalised item of a turn's input in OpenAI's shape. A message has no `type`. `opaque_state` is sent back
 * unchanged to its provider. No row has `sealed`. A `compaction` replaces a history.
 */
export type InputItem =
  | MessageItem
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | Part[] }
  | { type: 'custom_tool_call'; call_id: string; name: string; input: string }
  | { type: 'custom_tool_call_output'; call_id: string; output: string | Part[] }
  | {
      type: 'mcp_call';
      server_label: string;
      name: string;
      arguments: string;
      output: string | null;
      error: string | null;
      approval_request_id?: string;
    }
  | { type: 'mcp_approval_request'; id: string; server_label: string; name: string; arguments: string }
  | { type: 'mcp_approval_response'; approval_request_id: string; approve: boolean; reason: string | null }
  | HostedCallItem
  | { type: 'opaque_state'; provider: string; state: unknown; sealed?: string }
  | { type: 'compaction'; summary: string; sealed?: string };

/** A call that a provider ran, and the images that it made. The next reply of the assistant has them. */
export type HostedCallItem = { type: 'hosted_call'; call: HostedCall; images?: ImagePart[] };
export type ImagePart = Extract<Part, { type: 'input_image' }>;

/** A person's answer to an approval request. */
export type ApprovalResponse = Extract<InputItem, { type: 'mcp_approval_response' }>;

/** Returns the answers of an input that allow a call, in the order of the adopted calls. */
export function allowingItems(input: readonly InputItem[]): ApprovalResponse[] {
  return input.filter(
    (item) => !isMessage(item) && item.type === 'mcp_approval_response' && item.approve,
  ) as ApprovalResponse[];
}

export function isMessage(item: InputItem): item is MessageItem {
  return 'role' in item;
}

/** Returns a part as text: its text, or a note in place of an image, a file or audio. */
export function plainPart(part: Part): string {
  switch (part.type) {
    case 'input_text':
      return part.text;
    case 'input_image':
      return '[image]';
    case 'input_file':
      return part.filename ? `[file: ${part.filename}]` : '[file]';
    case 'input_audio':
      return '[audio]';
  }
}

/** Returns a content as text: each part on a line of its own, with a note in place of each image and file. */
export function plainContent(content: string | Part[]): string {
  return typeof content === 'string' ? content : content.map(plainPart).join('\n');
}
