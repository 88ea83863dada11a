import type { Act, Flaw } from './act.ts';
import { type Delta, deltasOf, takeChars } from './deltas-of.ts';
import { errorBody } from './error-body.ts';
import type { Ending } from './performance.ts';

/** What stands around a reply on the wire. `createdAt` in seconds, as the wire has it. */
export type Frame = {
  requestId: string;
  completionId: string;
  createdAt: number;
  model: string;
  includeUsage: boolean;
};

const DONE = 'data: [DONE]\n\n';

/** The server-sent events of a reply as OpenAI writes them, each piece one write, and how the stream stops. */
export function renderStream(act: Extract<Act, { kind: 'reply' }>, frame: Frame): { pieces: string[]; ending: Ending } {
  const deltas = deltasOf(act.reply, act.pace);
  const shown = takeChars(deltas, charsShown(act.flaw));
  const first = chunk(frame, { role: 'assistant', content: act.reply.text === null ? null : '' });
  const pieces = [first, ...shown.map((delta) => chunk(frame, wireDelta(delta)))];
  const finish = chunk(frame, {}, act.reply.finishReason);
  const usage = frame.includeUsage && act.reply.usage ? usageChunk(frame, act.reply.usage) : '';
  return closing(act.flaw, pieces, { finish, usage, frame });
}

type Tail = { finish: string; usage: string; frame: Frame };

function closing(flaw: Flaw | null, pieces: string[], { finish, usage, frame }: Tail) {
  switch (flaw?.kind) {
    case undefined:
      return { pieces: [...pieces, finish + usage + DONE], ending: 'end' as const };
    case 'no_done':
      return { pieces: [...pieces, finish + usage], ending: 'end' as const };
    case 'no_finish':
      return { pieces: [...pieces, DONE], ending: 'end' as const };
    case 'error_event':
      return { pieces: [...pieces, event(JSON.stringify(flaw.body ?? errorBody(500)))], ending: 'end' as const };
    case 'garbage':
      return { pieces: [...pieces, event('{"id":"chatcmpl-broken","choices":[{"del') + DONE], ending: 'end' as const };
    case 'cut':
      return { pieces, ending: 'cut' as const };
    case 'hang':
      return { pieces, ending: 'silence' as const };
    case 'drip':
      return { pieces: [...pieces, chunk(frame, { content: 'drip ' })], ending: 'repeat' as const };
  }
}

function charsShown(flaw: Flaw | null): number {
  return flaw && 'after_chars' in flaw ? (flaw.after_chars ?? 0) : Number.POSITIVE_INFINITY;
}

function wireDelta(delta: Delta): Record<string, unknown> {
  switch (delta.kind) {
    case 'text':
      return { content: delta.text };
    case 'reasoning':
      return { reasoning_content: delta.text };
    case 'call': {
      const { index, id, name } = delta;
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
    }
    case 'arguments':
      return { tool_calls: [{ index: delta.index, function: { arguments: delta.text } }] };
  }
}

function chunk(frame: Frame, delta: Record<string, unknown>, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event(JSON.stringify({ ...head(frame), choices, ...(frame.includeUsage ? { usage: null } : {}) }));
}

function usageChunk(frame: Frame, usage: Record<string, unknown>): string {
  return event(JSON.stringify({ ...head(frame), choices: [], usage }));
}

function head({ completionId, createdAt, model }: Frame): Record<string, unknown> {
  return { id: completionId, object: 'chat.completion.chunk', created: createdAt, model };
}

function event(data: string): string {
  return `data: ${data}\n\n`;
}
