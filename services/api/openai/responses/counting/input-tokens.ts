import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { ApiContext } from '../../../context.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../../http/router.ts';
import { ofConfig, ofResponseBody } from '../../../schemas/errors/refusals.ts';
import { explainResponseIssues } from '../request/explain-issues.ts';
import { operationAt } from '../schemas/operation-at.ts';
import { openaiHeaders, responseRefusals } from '../schemas/response-refusals.ts';
import { countInput } from './count-input.ts';
import { InputTokensBody } from './input-tokens-body.ts';

const InputTokens = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int().min(0).describe('About how many tokens the input has.'),
});

const countAt = (base: ResponseBase) =>
  createRoute({
    method: 'post',
    path: `${base}/responses/input_tokens`,
    ...operationAt(base, 'countInputTokens', 'Estimate the tokens of an input'),
    description:
      'Asks no model, starts no turn and stores nothing. The history of `previous_response_id` or `conversation` ' +
      'counts. The number is the estimate that `context` uses: about a token for four bytes, and the provider’s own ' +
      'count of the history once there is one.',
    request: { body: { required: false, content: json(InputTokensBody) } },
    responses: {
      200: { description: 'The estimate.', headers: z.object(openaiHeaders), content: json(InputTokens) },
      ...responseRefusals(
        ...[...ofResponseBody, ...ofConfig].filter((code) => !NOT_MET.has(code)),
        ...(['item_not_found', 'previous_response_not_found', 'conversation_not_found'] as const),
      ),
    },
  });

/** Refusals of fields that a count does not have. */
const NOT_MET = new Set(['background_requires_store', 'model_not_allowed', 'invalid_output_schema']);

/** `POST …/responses/input_tokens`, under both bases (contract-responses R72). */
export function inputTokenRoutes(context: ApiContext) {
  const router = makeRouter(explainResponseIssues);
  for (const base of RESPONSE_BASES) router.openapi(countAt(base), count(context));
  return router;
}

function count(context: ApiContext): RouteHandler<ReturnType<typeof countAt>, ApiEnv> {
  return async (c) => {
    const input_tokens = await countInput(context, c.get('project'), c.req.valid('json') ?? {});
    return c.json({ object: 'response.input_tokens' as const, input_tokens }, 200);
  };
}
