import { errorBody } from './error-body.ts';
import { type CompletionMeta, renderStream } from './render-stream.ts';
import type { SimulatedReply, SimulatedResponse } from './reply.ts';
import type { Ending, RenderedResponse } from './send-response.ts';

/** Turns a response into bytes and times; nothing is decided after this. */
export function renderResponse(
  response: SimulatedResponse,
  meta: CompletionMeta & { stream: boolean },
): RenderedResponse {
  switch (response.kind) {
    case 'silence':
      return { thinkMs: 0, head: null, chunks: [], paceMs: 0, ending: 'silence' };
    case 'hang-up':
      return { thinkMs: 0, head: null, chunks: [], paceMs: 0, ending: 'cut' };
    case 'error':
      return renderError(response, meta);
    case 'reply':
      return renderReply(response, meta);
  }
}

function renderError(response: Extract<SimulatedResponse, { kind: 'error' }>, meta: CompletionMeta): RenderedResponse {
  const isText = typeof response.body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  const head = {
    status: response.status,
    headers: { 'content-type': type, 'x-request-id': meta.requestId, ...response.headers },
  };
  const text = isText ? String(response.body) : JSON.stringify(response.body);
  return { thinkMs: response.thinkMs, head, chunks: [text], paceMs: 0, ending: 'end' };
}

function renderReply(
  response: Extract<SimulatedResponse, { kind: 'reply' }>,
  meta: CompletionMeta & { stream: boolean },
): RenderedResponse {
  const isUnrelated = response.flaw?.kind === 'garbage' && response.flaw.after_chars === undefined;
  const isStream = meta.stream && !isUnrelated;
  const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json';
  const headers = { 'content-type': type, 'cache-control': 'no-cache', 'x-request-id': meta.requestId };
  const timing = { thinkMs: response.pace.thinkMs, paceMs: response.pace.paceMs, head: { status: 200, headers } };
  if (isUnrelated) return { ...timing, chunks: ['{"weather":"sunny"}'], ending: 'end' };
  return { ...timing, ...(isStream ? renderStream(response, meta) : renderCompletion(response, meta)) };
}

/** The answer in one JSON body, for a request that does not stream, and how it stops. */
function renderCompletion(
  { reply, flaw }: Extract<SimulatedResponse, { kind: 'reply' }>,
  meta: CompletionMeta,
): { chunks: string[]; ending: Ending } {
  const text = JSON.stringify(completion(reply, meta, flaw?.kind === 'no_finish' ? null : reply.finishReason));
  switch (flaw?.kind) {
    case undefined:
    case 'no_done':
    case 'no_finish':
      return { chunks: [text], ending: 'end' };
    case 'error_event':
      return { chunks: [JSON.stringify(flaw.body ?? errorBody(500))], ending: 'end' };
    case 'garbage':
      return { chunks: [text.slice(0, flaw.after_chars)], ending: 'end' };
    case 'cut':
      return { chunks: [text.slice(0, flaw.after_chars)], ending: 'cut' };
    case 'hang':
      return { chunks: [text.slice(0, flaw.after_chars)], ending: 'silence' };
    case 'drip':
      // Some gateways keep a slow connection alive with white space before a JSON body.
      return { chunks: [' '], ending: 'repeat' };
  }
}

function completion(reply: SimulatedReply, meta: CompletionMeta, finishReason: string | null): Record<string, unknown> {
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
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    ...(reply.usage ? { usage: reply.usage } : {}),
  };
}

function wireCall({ id, name, arguments: args }: SimulatedReply['calls'][number]): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: args } };
}
