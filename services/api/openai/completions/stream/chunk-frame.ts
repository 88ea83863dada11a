import { completionFinish } from '#core/turn/completions/completion-message.ts';
import type { CompletionDelta } from '#core/turn/completions/completion-pieces.ts';
import { completionHead, completionUsage } from '#core/turn/completions/present-completion.ts';
import type { Turn } from '#core/turn/turn.ts';

/** With `includeUsage`, the stream ends with a chunk of the usage, and each other chunk has a `usage` of null. */
export type ChunkOptions = { includeUsage: boolean };

/** Writes the first chunk of a stream, which has the role. */
export function roleFrame(turn: Turn, options: ChunkOptions): string {
  return chunkFrame(turn, { delta: { role: 'assistant', content: '' } }, options);
}

/** Writes the chunk of one delta. */
export function deltaFrame(turn: Turn, delta: CompletionDelta, options: ChunkOptions): string {
  return chunkFrame(turn, { delta: fieldsOf(delta) }, options);
}

/** Writes the chunk with the `finish_reason`, and the chunk of the usage if it was asked for. */
export function finishFrame(turn: Turn, options: ChunkOptions): string {
  const finish = chunkFrame(turn, { delta: {}, finish_reason: completionFinish(turn) }, options);
  if (!options.includeUsage) return finish;
  return finish + frame({ ...chunkHead(turn), choices: [], usage: completionUsage(turn) });
}

/** Writes the last frame of a stream that cannot go on; no `[DONE]` follows it (contract-responses R86, R87). */
export function errorFrame({ code, message, type = 'server_error' }: StreamError): string {
  return frame({ error: { message, type, param: null, code } });
}

type StreamError = { code: string; message: string; type?: string };

type Choice = { delta: Record<string, unknown>; finish_reason?: string | null };

function chunkFrame(turn: Turn, { delta, finish_reason = null }: Choice, { includeUsage }: ChunkOptions): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  return frame({ ...chunkHead(turn), choices, ...(includeUsage && { usage: null }) });
}

function chunkHead(turn: Turn) {
  return { ...completionHead(turn), object: 'chat.completion.chunk' };
}

function fieldsOf(delta: CompletionDelta): Record<string, unknown> {
  switch (delta.type) {
    case 'tool_call':
      return { tool_calls: [{ index: delta.index, ...delta.call }] };
    case 'function_call':
      return { function_call: delta.call };
    default:
      return { [delta.type]: delta.delta };
  }
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
