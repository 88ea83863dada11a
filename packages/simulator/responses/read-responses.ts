import { refuse } from '../error-body.ts';
import type { Reading, Stamp } from '../render-response.ts';
import { chatRequestOf } from './chat-request-of.ts';
import { checkRequest } from './check-request.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';
import { renderResponseStream } from './render-response-stream.ts';
import { responseObject } from './response-object.ts';
import { ResponsesRequest } from './responses-request.ts';

/** Reads `POST /v1/responses`. */
export function readResponses(sent: unknown, stamp: Stamp): Reading {
  const { data: request, error } = ResponsesRequest.safeParse(sent, { reportInput: true });
  if (!request) return { kind: 'unreadable', refusal: refuseUnreadable(error.issues) };
  const problem = checkRequest(request);
  return {
    kind: 'request',
    body: chatRequestOf(request),
    refusal: problem && refuse(problem),
    renderer: {
      isStream: request.stream === true,
      whole: (reply) => responseObject(reply, { request, stamp }),
      stream: (response) => renderResponseStream(response, { request, stamp }),
    },
  };
}
