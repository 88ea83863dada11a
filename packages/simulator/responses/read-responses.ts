import { z } from 'zod';
import { innermostIssue, refuse } from '../error-body.ts';
import type { Reading, Stamp } from '../render-response.ts';
import type { Refusal } from '../reply.ts';
import { chatRequestOf } from './chat-request-of.ts';
import { checkRequest } from './check-request.ts';
import { renderResponseStream } from './render-response-stream.ts';
import { type ResponseMeta, responseObject } from './response-object.ts';
import { ResponsesRequest } from './responses-request.ts';

/** Reads a Responses request. A readable request has `meta`, by which the server keeps its response. */
export function readResponses(sent: unknown, stamp: Stamp): Reading & { meta?: ResponseMeta } {
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
    meta: { request, stamp },
  };
}

type Issue = z.core.$ZodIssue;

/** Refuses a request that is not a valid Responses request. Reports an unknown field of the request first. */
function refuseUnreadable(issues: Issue[]): Refusal {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  const issue = innermostIssue(unknown ?? issues[0]);
  const param = issue ? z.core.toDotPath(issue.path) : '';
  if (issue?.code === 'unrecognized_keys') {
    const field = z.core.toDotPath([...issue.path, issue.keys[0] ?? '']);
    return refuse({ code: 'unknown_parameter', message: `Unknown parameter: '${field}'.`, param: field });
  }
  if (issue?.code === 'invalid_type' && issue.input === undefined) {
    return refuse({ code: 'missing_required_parameter', message: `Missing required parameter: '${param}'.`, param });
  }
  const isTooSmall = issue?.code === 'too_small' && issue.origin === 'number';
  const code = isTooSmall ? 'integer_below_min_value' : 'invalid_value';
  return refuse({ code, message: `Invalid '${param}'. ${issue?.message}.`, param });
}
