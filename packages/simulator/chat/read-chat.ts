import { z } from 'zod';
import { ChatRequest } from '../chat-request.ts';
import { refuse } from '../error-body.ts';
import type { Reading, Stamp } from '../render-response.ts';
import { checkHistory } from './check-history.ts';
import { renderCompletion, renderCompletionStream } from './render-completion-stream.ts';

export function readChat(sent: unknown, { id, createdAt }: Stamp): Reading {
  const { data: body, error } = ChatRequest.safeParse(sent);
  if (!body) return { kind: 'unreadable', refusal: unreadable(error) };
  const meta = {
    completionId: `chatcmpl-${id}`,
    createdAt,
    model: body.model,
    includeUsage: body.stream_options?.include_usage === true,
  };
  const problem = checkHistory(body.messages);
  return {
    kind: 'request',
    body,
    refusal: problem === null ? null : refuse({ code: 'invalid_history', message: problem, param: 'messages' }),
    renderer: {
      isStream: body.stream === true,
      whole: (reply) => renderCompletion(reply, meta),
      stream: (response) => renderCompletionStream(response, meta),
    },
  };
}

function unreadable(error: z.ZodError) {
  const message = `The request is no chat completion request. ${z.prettifyError(error)}`;
  return refuse({ code: 'invalid_request', message, param: null });
}
