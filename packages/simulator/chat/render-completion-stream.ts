import { errorBody } from '../error-body.ts';
import type { FlawedReply, RenderedStream } from '../render-response.ts';
import type { Flaw, Pace, SimulatedReply } from '../reply.ts';
import { shownOf, sideBySide, slices } from '../slices.ts';

/** The fields of a completion besides the reply. `createdAt` is in seconds. */
export type CompletionMeta = { completionId: string; createdAt: number; model: string; includeUsage: boolean };

export function renderCompletion(reply: SimulatedReply, meta: CompletionMeta): Record<string, unknown> {
  const message = {
    role: 'assistant',
    content: reply.text,
    refusal: reply.refusal,
    ...(reply.reasoning ? { reasoning_content: reply.reasoning } : {}),
    ...(reply.calls.length ? { tool_calls: reply.calls.map(wireCall) } : {}),
  };
  return {
    id: meta.completionId,
    object: 'chat.completion',
    created: meta.createdAt,
    model: meta.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finishReason }],
    ...(reply.usage ? { usage: reply.usage } : {}),
  };
}

function wireCall({ id, name, arguments: args }: SimulatedReply['calls'][number]): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: args } };
}

const DONE = 'data: [DONE]\n\n';

/** Renders a reply as OpenAI's server-sent events, one chunk for each write, and the end of the stream. */
export function renderCompletionStream(response: FlawedReply, meta: CompletionMeta): RenderedStream {
  const shown = shownOf(deltasOf(response.reply, response.pace), response.flaw);
  const first = completionChunk(meta, { role: 'assistant', content: response.reply.text === null ? null : '' });
  const chunks = [first, ...shown.map((delta) => completionChunk(meta, wireDelta(delta)))];
  const finish = completionChunk(meta, {}, response.reply.finishReason);
  const usage = meta.includeUsage && response.reply.usage ? usageChunk(meta, response.reply.usage) : '';
  return closing(response.flaw, chunks, { finish, usage, meta });
}

type Tail = { finish: string; usage: string; meta: CompletionMeta };

function closing(flaw: Flaw | null, chunks: string[], { finish, usage, meta }: Tail): RenderedStream {
  switch (flaw?.kind) {
    case undefined:
      return { chunks: [...chunks, finish + usage + DONE], ending: 'end' };
    case 'no_done':
      return { chunks: [...chunks, finish + usage], ending: 'end' };
    case 'no_finish':
      return { chunks: [...chunks, DONE], ending: 'end' };
    case 'error_event':
      return { chunks: [...chunks, event(JSON.stringify(flaw.body ?? errorBody(500)))], ending: 'end' };
    case 'garbage':
      return { chunks: [...chunks, event('{"id":"chatcmpl-broken","choices":[{"del') + DONE], ending: 'end' };
    case 'cut':
      return { chunks, ending: 'cut' };
    case 'hang':
      return { chunks, ending: 'silence' };
    case 'drip':
      return { chunks: [...chunks, completionChunk(meta, { content: 'drip ' })], ending: 'repeat' };
  }
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

type Delta =
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'refusal'; text: string }
  | { kind: 'call'; index: number; id: string; name: string }
  | { kind: 'arguments'; index: number; text: string };

/** Cuts a reply into its streamed chunks: reasoning, text, refusal, then the calls in sequence or side by side. */
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
