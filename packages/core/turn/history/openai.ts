import { shownPart } from '../parts/part-data.ts';
import type { Part } from '../request/item.ts';
import type { Turn } from '../turn.ts';
import { type ExpandedMessage, expandHistory } from './expand.ts';
import { shownText, shownTexts } from './shown-text.ts';
import { transcriptOf } from './transcript.ts';

/** Renders the history for OpenAI: the system prompt first, each call's result as its own message. */
export function openaiHistory(turns: Turn[], instructions: string | null = null): Record<string, unknown>[] {
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  return [...system, ...expandHistory(transcriptOf(turns)).flatMap(openaiMessages)];
}

function openaiMessages(message: ExpandedMessage): Record<string, unknown>[] {
  switch (message.kind) {
    case 'text':
      return [{ role: message.role, content: message.parts?.map(openaiPart) ?? message.text }];
    case 'calls':
      return [
        {
          role: 'assistant',
          tool_calls: message.calls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        },
      ];
    case 'results':
      return message.results.map(({ callId, content, parts }) => ({
        role: 'tool',
        tool_call_id: callId,
        content: parts ? shownTexts(parts) : content,
      }));
  }
}

function openaiPart(given: Part): Record<string, unknown> {
  const part = shownPart(given);
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url, ...(part.detail && { detail: part.detail }) } };
    case 'input_file':
      if (part.file_data === undefined) return { type: 'text', text: shownText(part) };
      return { type: 'file', file: { filename: part.filename || 'file.pdf', file_data: part.file_data } };
    case 'input_audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  }
}
