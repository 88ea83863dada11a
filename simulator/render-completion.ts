import type { Act, SimulatedReply } from './act.ts';
import { errorBody } from './error-body.ts';
import type { Ending } from './performance.ts';
import type { Frame } from './render-stream.ts';

/** The answer in one JSON body, for a request that does not stream, and how it stops. */
export function renderCompletion(
  { reply, flaw }: Extract<Act, { kind: 'reply' }>,
  frame: Frame,
): { pieces: string[]; ending: Ending } {
  const text = JSON.stringify(completion(reply, frame, flaw?.kind === 'no_finish' ? null : reply.finishReason));
  switch (flaw?.kind) {
    case undefined:
    case 'no_done':
    case 'no_finish':
      return { pieces: [text], ending: 'end' };
    case 'error_event':
      return { pieces: [JSON.stringify(flaw.body ?? errorBody(500))], ending: 'end' };
    case 'garbage':
      return { pieces: [text.slice(0, flaw.after_chars)], ending: 'end' };
    case 'cut':
      return { pieces: [text.slice(0, flaw.after_chars)], ending: 'cut' };
    case 'hang':
      return { pieces: [text.slice(0, flaw.after_chars)], ending: 'silence' };
    case 'drip':
      // White space before a JSON body is how some gateways keep a slow connection alive.
      return { pieces: [' '], ending: 'repeat' };
  }
}

function completion(reply: SimulatedReply, frame: Frame, finishReason: string | null): Record<string, unknown> {
  const message = {
    role: 'assistant',
    content: reply.text,
    refusal: null,
    ...(reply.reasoning ? { reasoning_content: reply.reasoning } : {}),
    ...(reply.calls.length ? { tool_calls: reply.calls.map(wireCall) } : {}),
  };
  return {
    id: frame.completionId,
    object: 'chat.completion',
    created: frame.createdAt,
    model: frame.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    ...(reply.usage ? { usage: reply.usage } : {}),
  };
}

function wireCall({ id, name, arguments: args }: SimulatedReply['calls'][number]): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: args } };
}
