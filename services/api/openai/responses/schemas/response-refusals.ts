import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../../../http/router.ts';
import type { ErrorCode } from '../../../schemas/errors/error-codes.ts';
import { ErrorBody, type Refusals, refusals } from '../../../schemas/errors/refusals.ts';
import { TurnError } from '../../../turns/schemas/turn-error.ts';
import { ResponseObject } from './response-object.ts';
import { ResponseStreamEvent } from './stream-event.ts';

/** The headers of every answer to OpenAI's clients. */
export const openaiHeaders = {
  'x-request-id': z.string().describe('The id of this request, as `req_…`.'),
  'openai-processing-ms': z
    .int()
    .min(0)
    .optional()
    .describe('The time until the first byte of the answer, in milliseconds.'),
};

/** Returns a JSON answer with the headers that all answers to OpenAI's clients have. */
export function openaiAnswer<Schema>(description: string, schema: Schema, headers: z.ZodRawShape = {}) {
  return jsonAnswer(description, schema, { ...openaiHeaders, ...headers });
}

/** A request that is refused before it is read has no id. */
const refusalHeaders = {
  ...openaiHeaders,
  'x-request-id': openaiHeaders['x-request-id'].optional(),
  'x-should-retry': z
    .enum(['true', 'false'])
    .optional()
    .describe('`false` if the same request would fail again. OpenAI’s clients then do not repeat the request.'),
};

/** The header with the id of a response that its caller waits for. */
export const responseIdHeader = {
  'pawl-response-id': z
    .string()
    .optional()
    .describe(
      'The id of the response that was created, even if it failed. Only for a response that the caller waits for.',
    ),
};

export const ignoredToolsHeader = {
  'pawl-ignored-tools': z
    .string()
    .optional()
    .describe('The types of tools that Pawl left out, if the operator has set `PAWL_UNSUPPORTED_TOOLS=ignore`.'),
};

/** A response as JSON, or as its events. */
export const responseOrEvents = {
  'application/json': { schema: ResponseObject },
  'text/event-stream': { schema: ResponseStreamEvent },
};

const FailedResponse = z
  .object({
    error: z
      .object({
        ...ErrorBody.shape.error.shape,
        code: TurnError.shape.code,
        param: z.null().describe('Always null: no field is wrong.'),
      })
      .describe('The error of the response.'),
  })
  .meta({
    id: 'FailedResponse',
    description: 'The error of a failed response that its caller waited for.',
    examples: [
      {
        error: {
          ...{ type: 'server_error', code: 'provider_overloaded', message: 'openai is overloaded (503).' },
          param: null,
        },
      },
    ],
  });

type Refusal = { headers?: z.ZodObject; content: { 'application/json': { schema: z.ZodType } } };

/** Returns the refusals of a route of responses: the named codes, and the codes of every such route. */
export function responseRefusals(...codes: ErrorCode[]): Refusals {
  return changed(refusals(...codes), ({ headers, ...refusal }) => ({
    ...refusal,
    headers: z.object({ ...headers?.shape, ...refusalHeaders }),
  }));
}

/** The statuses of a failed response. */
const OF_FAILURES = new Set(['400', '429', '500', '503']);

/** Returns the refusals of a create, including the statuses of a failed response. */
export function createRefusals(...codes: ErrorCode[]): Refusals {
  return changed(responseRefusals(...codes), (refusal, status) => {
    if (!OF_FAILURES.has(status)) return refusal;
    const { schema, ...shown } = refusal.content['application/json'];
    const content = { 'application/json': { schema: z.union([schema, FailedResponse]), ...shown } };
    return { ...refusal, headers: z.object({ ...refusal.headers?.shape, ...responseIdHeader }), content };
  });
}

function changed(all: Refusals, change: (refusal: Refusal, status: string) => Refusal): Refusals {
  const known = Object.entries(all as Record<string, Refusal>);
  return Object.fromEntries(known.map(([status, refusal]) => [status, change(refusal, status)]));
}
