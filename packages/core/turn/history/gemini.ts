import { readBlobAddress, shownAddress } from '../parts/blob-address.ts';
import { dataOf } from '../parts/part-data.ts';
import type { Part } from '../request/item.ts';
import type { Turn } from '../turn.ts';
import { argumentsAsObject, resultAsObject } from './as-object.ts';
import { type ExpandedMessage, expandHistory } from './expand.ts';
import { shownText, shownTexts } from './shown-text.ts';
import { systemAsUser, systemPrompt } from './system-prompt.ts';
import { transcriptOf } from './transcript.ts';

type Apart = { system: string | null; data: Record<string, unknown>[] };

/** Renders the history for Gemini: the system prompt apart, all results of a batch in one `function` content. */
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
          functionResponse: { name: result.name, response: resultAsObject(withShownTexts(result)) },
        })),
      };
  }
}

type Result = Extract<ExpandedMessage, { kind: 'results' }>['results'][number];

function withShownTexts(result: Result): Result {
  return result.parts ? { ...result, content: shownTexts(result.parts) } : result;
}

function textContent({ role, text, parts }: Extract<ExpandedMessage, { kind: 'text' }>): Record<string, unknown> {
  if (role === 'system') return { role: 'user', parts: [{ text: systemAsUser(text) }] };
  if (parts) return { role: 'user', parts: parts.map(geminiPart) };
  return { role: role === 'assistant' ? 'model' : 'user', parts: [{ text }] };
}

function geminiPart(part: Part): Record<string, unknown> {
  const data = dataOf(part);
  if (!data) return { text: shownText(part) };
  const blob = readBlobAddress(data.address);
  if (!blob) return { fileData: { fileUri: data.address } };
  return { inlineData: { mimeType: blob.mediaType, data: shownAddress(data.address) } };
}
