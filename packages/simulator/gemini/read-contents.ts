import { z } from 'zod';
import { checkHistory } from '../chat/check-history.ts';
import { innermostIssue, refuse } from '../error-body.ts';
import type { Reading, Stamp } from '../render-response.ts';
import type { Refusal } from '../reply.ts';
import { chatRequestOf } from './chat-request-of.ts';
import { contentError, contentErrorOf } from './content-error.ts';
import { type Content, ContentsRequest } from './contents-request.ts';
import { renderContent, renderContentStream } from './render-content.ts';

/** A request of Gemini. Its path has the model and the form of the answer. */
type Asked = { sent: unknown; model: string; isStream: boolean };

/** Reads a request for content of Gemini. */
export function readContents({ sent, model, isStream }: Asked, { id }: Stamp): Reading {
  const { data: request, error } = ContentsRequest.safeParse(sent, { reportInput: true });
  if (!request) return { kind: 'unreadable', refusal: refuseContents(contentsProblem(error.issues)) };
  const meta = { responseId: id, model };
  const body = { ...chatRequestOf(request, model), stream: isStream };
  const problem = checkContents(request.contents) ?? checkHistory(body.messages);
  return {
    kind: 'request',
    body,
    refusal: problem === null ? null : refuseContents(problem),
    renderer: {
      isStream,
      whole: (reply) => renderContent(reply, meta),
      stream: (response) => renderContentStream(response, meta),
      error: contentErrorOf,
    },
  };
}

/** Returns the first issue of a request in Gemini's words. */
export function contentsProblem(issues: z.core.$ZodIssue[]): string {
  const issue = innermostIssue(issues[0]);
  const path = z.core.toDotPath(issue?.path ?? []);
  if (issue?.code === 'unrecognized_keys') {
    const place = path ? ` at '${path}'` : '';
    return `Invalid JSON payload received. Unknown name "${issue.keys[0]}"${place}: Cannot find field.`;
  }
  return `Invalid value at '${path}': ${issue?.message}`;
}

/** Returns the reason why Gemini would refuse the order or the signatures of contents, or null. */
function checkContents(contents: Content[]): string | null {
  const roles = contents.map(({ role = 'user' }) => role);
  if (roles[0] !== 'user' || roles.at(-1) !== 'user') {
    return 'Please ensure that single turn requests end with a user role or the role field is empty.';
  }
  const current = contents.findLastIndex(({ role, parts }) => role !== 'model' && parts.some(({ text }) => text));
  for (const [index, { parts }] of contents.entries()) {
    const first = parts.find(({ functionCall }) => functionCall);
    if (index < current || !first || first.thoughtSignature) continue;
    return `Function call is missing a thought_signature in functionCall parts. Function call: ${first.functionCall?.name}.`;
  }
  return null;
}

function refuseContents(message: string): Refusal {
  const refusal = refuse({ code: null, message, param: null });
  return { ...refusal, body: contentError(refusal.status, message) };
}
