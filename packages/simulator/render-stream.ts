import { errorBody } from './error-body.ts';
import type { Flaw, Pace, SimulatedReply, SimulatedResponse } from './reply.ts';
import type { Ending } from './send-response.ts';

/** What a completion carries beside the reply; `createdAt` is in seconds. */
export type CompletionMeta = {
  requestId: string;
  completionId: string;
  createdAt: number;
  model: string;
  includeUsage: boolean;
};

const DONE = 'data: [DONE]\n\n';

/** The server-sent events of a reply as OpenAI writes them, one chunk for each write, and how the stream stops. */
export function renderStream(
  response: Extract<SimulatedResponse, { kind: 'reply' }>,
  meta: CompletionMeta,
): { chunks: string[]; ending: Ending } {
  const deltas = deltasOf(response.reply, response.pace);
  const shown = takeChars(deltas, charsShown(response.flaw));
  const first = completionChunk(meta, { role: 'assistant', content: response.reply.text === null ? null : '' });
  const chunks = [first, ...shown.map((delta) => completionChunk(meta, wireDelta(delta)))];
  const finish = completionChunk(meta, {}, response.reply.finishReason);
  const usage = meta.includeUsage && response.reply.usage ? usageChunk(meta, response.reply.usage) : '';
  return closing(response.flaw, chunks, { finish, usage, meta });
}

type Tail = { finish: string; usage: string; meta: CompletionMeta };

function closing(flaw: Flaw | null, chunks: string[], { finish, usage, meta }: Tail) {
  switch (flaw?.kind) {
    case undefined:
      return { chunks: [...chunks, finish + usage + DONE], ending: 'end' as const };
    case 'no_done':
      return { chunks: [...chunks, finish + usage], ending: 'end' as const };
    case 'no_finish':
      return { chunks: [...chunks, DONE], ending: 'end' as const };
    case 'error_event':
      return { chunks: [...chunks, event(JSON.stringify(flaw.body ?? errorBody(500)))], ending: 'end' as const };
    case 'garbage':
      return { chunks: [...chunks, event('{"id":"chatcmpl-broken","choices":[{"del') + DONE], ending: 'end' as const };
    case 'cut':
      return { chunks, ending: 'cut' as const };
    case 'hang':
      return { chunks, ending: 'silence' as const };
    case 'drip':
      return { chunks: [...chunks, completionChunk(meta, { content: 'drip ' })], ending: 'repeat' as const };
  }
}

function charsShown(flaw: Flaw | null): number {
  return flaw && 'after_chars' in flaw ? (flaw.after_chars ?? 0) : Number.POSITIVE_INFINITY;
}

function wireDelta(delta: Delta): Record<string, unknown> {
  switch (delta.kind) {
    case 'text':
      return { content: delta.text };
    case 'refusal':
      return { refusal: delta.text };
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

function completionChunk(
  meta: CompletionMeta,
  delta: Record<string, unknown>,
  finishReason: string | null = null,
): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event(JSON.stringify({ ...head(meta), choices, ...(meta.includeUsage ? { usage: null } : {}) }));
}

function usageChunk(meta: CompletionMeta, usage: Record<string, unknown>): string {
  return event(JSON.stringify({ ...head(meta), choices: [], usage }));
}

function head({ completionId, createdAt, model }: CompletionMeta): Record<string, unknown> {
  return { id: completionId, object: 'chat.completion.chunk', created: createdAt, model };
}

function event(data: string): string {
  return `data: ${data}\n\n`;
}

/** One chunk of a streamed reply. */
type Delta =
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'refusal'; text: string }
  | { kind: 'call'; index: number; id: string; name: string }
  | { kind: 'arguments'; index: number; text: string };

/** Cuts a reply into its streamed chunks: reasoning, text, refusal, then the calls one by one, or side by side. */
function deltasOf(reply: SimulatedReply, { chunkChars, interleave }: Pace): Delta[] {
  const calls = reply.calls.map((call, index): Delta[] => [
    { kind: 'call', index, id: call.id, name: call.name },
    ...slices(call.arguments, chunkChars).map((text): Delta => ({ kind: 'arguments', index, text })),
  ]);
  return [
    ...slices(reply.reasoning, chunkChars).map((text): Delta => ({ kind: 'reasoning', text })),
    ...slices(reply.text ?? '', chunkChars).map((text): Delta => ({ kind: 'text', text })),
    ...slices(reply.refusal ?? '', chunkChars).map((text): Delta => ({ kind: 'refusal', text })),
    ...(interleave ? sideBySide(calls) : calls.flat()),
  ];
}

/** The first `chars` characters of reasoning, text and arguments; the last chunk may be cut in two. */
function takeChars(deltas: Delta[], chars: number): Delta[] {
  const taken: Delta[] = [];
  let left = chars;
  for (const delta of deltas) {
    if (left <= 0) break;
    taken.push('text' in delta ? { ...delta, text: delta.text.slice(0, left) } : delta);
    left -= 'text' in delta ? delta.text.length : 0;
  }
  return taken;
}

function slices(text: string, size: number): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + size + (splitsPair(text, start + size) ? 1 : 0);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

/** Whether a cut here would separate the two halves of a surrogate pair; vendors never do that. */
function splitsPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function sideBySide(calls: Delta[][]): Delta[] {
  const longest = Math.max(0, ...calls.map((call) => call.length));
  return Array.from({ length: longest }, (_, row) => calls.flatMap((call) => call.slice(row, row + 1))).flat();
}
