import type { Turn } from '../turn.ts';
import { argumentsAsObject, resultAsObject } from './as-object.ts';
import { type ExpandedMessage, expandHistory } from './expand.ts';
import { systemAsUser, systemPrompt } from './system-prompt.ts';
import { transcriptOf } from './transcript.ts';

type Apart = { system: string | null; data: Record<string, unknown>[] };

/** The history as Gemini's wire has it: the system prompt apart, all results of a batch in one `function` content. */
export function geminiHistory(turns: Turn[], instructions: string | null = null): Apart {
  const { system, rest } = systemPrompt(transcriptOf(turns), instructions);
  return { system, data: expandHistory(rest).map(geminiContent) };
}

function geminiContent(message: ExpandedMessage): Record<string, unknown> {
  switch (message.kind) {
    case 'text':
      return textContent(message);
    case 'calls':
      return {
        role: 'model',
        parts: message.calls.map(({ name, arguments: args }) => ({
          functionCall: { name, args: argumentsAsObject(args) },
        })),
      };
    case 'results':
      return {
        role: 'function',
        parts: message.results.map((result) => ({
          functionResponse: { name: result.name, response: resultAsObject(result) },
        })),
      };
  }
}

function textContent({ role, text }: Extract<ExpandedMessage, { kind: 'text' }>): Record<string, unknown> {
  if (role === 'system') return { role: 'user', parts: [{ text: systemAsUser(text) }] };
  return { role: role === 'assistant' ? 'model' : 'user', parts: [{ text }] };
}
