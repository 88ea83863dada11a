import type { z } from 'zod';
import { checkHistory } from '../chat/check-history.ts';
import { innermostIssue, refuse } from '../error-body.ts';
import type { Reading, Stamp } from '../render-response.ts';
import type { Refusal } from '../reply.ts';
import { chatRequestOf } from './chat-request-of.ts';
import { messageError, messageErrorOf } from './message-error.ts';
import { MessagesRequest } from './messages-request.ts';
import { renderMessage } from './render-message.ts';
import { renderMessageStream } from './render-message-stream.ts';

/** Reads a Messages request of Anthropic. */
export function readMessages(sent: unknown, { id }: Stamp): Reading {
  const { data: request, error } = MessagesRequest.safeParse(sent, { reportInput: true });
  if (!request) return { kind: 'unreadable', refusal: refuseMessage(messageProblem(error.issues)) };
  const meta = { messageId: `msg_${id.replaceAll('-', '')}`, model: request.model };
  const body = chatRequestOf(request);
  const problem = checkOrder(request) ?? checkHistory(body.messages);
  return {
    kind: 'request',
    body,
    refusal: problem === null ? null : refuseMessage(problem),
    renderer: {
      isStream: request.stream === true,
      whole: (reply) => renderMessage(reply, meta),
      stream: (response) => renderMessageStream(response, meta),
      error: messageErrorOf,
    },
  };
}

/** Returns the first issue of a request in Anthropic's words. */
export function messageProblem(issues: z.core.$ZodIssue[], path = ''): string {
  const issue = innermostIssue(issues[0]);
  const name = (rest: PropertyKey[]) => [...(path ? [path] : []), ...rest.map(String)].join('.');
  if (issue?.code === 'unrecognized_keys') {
    return `${name([...issue.path, issue.keys[0] ?? ''])}: Extra inputs are not permitted`;
  }
  const isMissing = issue?.code === 'invalid_type' && issue.input === undefined;
  return `${name(issue?.path ?? [])}: ${isMissing ? 'Field required' : issue?.message}`;
}

/** Returns the reason why Anthropic would refuse the order of messages and blocks, or null. */
function checkOrder({ messages }: MessagesRequest): string | null {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, { content }] of messages.entries()) {
    const types = typeof content === 'string' ? ['text'] : content.map(({ type }) => type);
    const last = types.lastIndexOf('tool_result');
    if (types.slice(0, last + 1).every((type) => type === 'tool_result')) continue;
    return `messages.${index}: \`tool_result\` blocks must be first in their message`;
  }
  return null;
}

function refuseMessage(message: string): Refusal {
  const refusal = refuse({ code: null, message, param: null });
  return { ...refusal, body: messageError(refusal.status, message) };
}
