import type { Turn } from '../turn.ts';
import { type ExpandedMessage, expandHistory } from './expand.ts';
import { transcriptOf } from './transcript.ts';

/** The history as OpenAI's wire has it: the system prompt first, each call's result a message of its own. */
export function openaiHistory(turns: Turn[], instructions: string | null = null): Record<string, unknown>[] {
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  return [...system, ...expandHistory(transcriptOf(turns)).flatMap(openaiMessages)];
}

function openaiMessages(message: ExpandedMessage): Record<string, unknown>[] {
  switch (message.kind) {
    case 'text':
      return [{ role: message.role, content: message.text }];
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
      return message.results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content }));
  }
}
