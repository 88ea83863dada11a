import { readBlobAddress, shownAddress } from '../parts/blob-address.ts';
import { dataOf } from '../parts/part-data.ts';
import type { Part } from '../request/item.ts';
import type { Turn } from '../turn.ts';
import { argumentsAsObject } from './as-object.ts';
import { type ExpandedMessage, expandHistory } from './expand.ts';
import { shownText } from './shown-text.ts';
import { systemAsUser, systemPrompt } from './system-prompt.ts';
import { transcriptOf } from './transcript.ts';

type Apart = { system: string | null; data: Record<string, unknown>[] };

/** Renders the history for Anthropic: the system prompt apart, all results of a batch in one user message. */
export function anthropicHistory(turns: Turn[], instructions: string | null = null): Apart {
  const { system, rest } = systemPrompt(transcriptOf(turns), instructions);
  return { system, data: expandHistory(rest).map(anthropicMessage) };
}

function anthropicMessage(message: ExpandedMessage): Record<string, unknown> {
  switch (message.kind) {
    case 'text':
      return message.role === 'system'
        ? { role: 'user', content: systemAsUser(message.text) }
        : { role: message.role, content: message.parts?.map(anthropicPart) ?? message.text };
    case 'calls':
      return {
        role: 'assistant',
        content: message.calls.map(({ id, name, arguments: args }) => ({
          type: 'tool_use',
          id,
          name,
          input: argumentsAsObject(args),
        })),
      };
    case 'results':
      return {
        role: 'user',
        content: message.results.map(({ callId, content, isError, parts }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content: parts?.map(anthropicPart) ?? content,
          ...(isError ? { is_error: true } : {}),
        })),
      };
  }
}

function anthropicPart(part: Part): Record<string, unknown> {
  const data = dataOf(part);
  if (!data || part.type === 'input_audio') return { type: 'text', text: shownText(part) };
  const blob = readBlobAddress(data.address);
  const source = blob
    ? { type: 'base64', media_type: blob.mediaType, data: shownAddress(data.address) }
    : { type: 'url', url: data.address };
  return { type: part.type === 'input_image' ? 'image' : 'document', source };
}
