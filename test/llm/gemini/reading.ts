import { finishReply, startReply, takeChunk } from '#core/llm/gemini/reply-accumulator.ts';
import type { Delta } from '#core/llm/provider.ts';
import type { Reply } from '#core/turn/reply.ts';

export function parts(...parts: object[]): object {
  return { candidates: [{ content: { parts } }] };
}

export function end(finishReason = 'STOP', more: object = {}): object {
  return { candidates: [{ finishReason }], ...more };
}

export function called(name: string, args?: object): object {
  return { functionCall: { name, ...(args ? { args } : {}) } };
}

export type Reading = { reply: Reply; deltas: Delta[] };

export function read(...chunks: object[]): Reading {
  const reply = startReply({ provider: 'gemini' });
  const deltas = chunks.flatMap((chunk) => takeChunk(reply, chunk));
  return { reply: finishReply(reply), deltas };
}
