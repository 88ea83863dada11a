import type { Content } from '@google/genai';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { roundsOf } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

export function contentsOf(messages: Message[], change: Partial<RoundRequest> = {}): Content[] {
  const request = { ...someRequest, messages, instructions: null, ...change };
  return renderRequest(request, 'gemini').contents as Content[];
}

export const round = roundsOf('gemini');
