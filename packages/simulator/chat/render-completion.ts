import type { SimulatedReply } from '../reply.ts';

/** The fields that a completion carries besides the reply. `createdAt` is in seconds. */
export type CompletionMeta = { completionId: string; createdAt: number; model: string; includeUsage: boolean };

/** Renders a reply as one chat completion. */
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
