import { type RouteHandler, z } from '@hono/zod-openapi';
import { bytesToTokens, estimateInput } from '#core/turn/compaction/tokens-of-request.ts';
import type { ApiContext } from '../../../context.ts';
import { type ApiEnv, json, routesOf } from '../../../http/router.ts';
import { ofConfig, ofResponseBody } from '../../../schemas/errors/refusals.ts';
import { makeOpenaiRouter, serve } from '../../openai-router.ts';
import { readResponseRequest } from '../read-response-request.ts';
import { explainResponseIssues } from '../request/explain-issues.ts';
import { resolveInput, takeResolved } from '../resolve-input.ts';
import { ResponseBody } from '../response-body.ts';
import { openaiAnswer, responseRefusals } from '../schemas/response-refusals.ts';
import { findNamedHistory, loadCounted } from './counted-history.ts';

const { model, input, instructions, previous_response_id, conversation, tools, tool_choice } = ResponseBody.shape;
const { parallel_tool_calls, reasoning, text, truncation } = ResponseBody.shape;

/** The fields of a create request that make up its input. */
const InputTokensBody = z
  .strictObject({
    model: model.nullish(),
    input: input.nullish(),
    ...{ instructions, previous_response_id, conversation, tools, tool_choice },
    ...{ parallel_tool_calls, reasoning, text, truncation },
    personality: z.string().nullish().describe('A hint.'),
  })
  .meta({
    id: 'InputTokensBody',
    description: 'The input of a response, for an estimate of its tokens. All fields are optional.',
    examples: [
      { model: 'sim/demo', input: 'Say hello to Ada.' },
      { instructions: 'Be brief.', input: [{ role: 'user', content: 'And now?' }] },
    ],
  });
type InputTokensBody = z.output<typeof InputTokensBody>;

const InputTokens = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int().min(0).describe('The estimated number of tokens of the input.'),
});

/** Refusals of fields that a count does not have. */
const NOT_MET = new Set(['background_requires_store', 'model_not_allowed', 'invalid_output_schema']);

const route = routesOf('Responses', responseRefusals);

const countOne = route('post', '/responses/input_tokens', 'countInputTokens', {
  summary: 'Estimate the tokens of an input',
  description:
    'Asks no model, starts no turn and stores no data. The history of `previous_response_id` or `conversation` counts. The number is the estimate that `context` uses: about one token for four bytes. For a history that a provider has counted, it uses the provider’s number.',
  request: { body: { required: false, content: json(InputTokensBody) } },
  answers: { 200: openaiAnswer('The estimate.', InputTokens) },
  refusals: [
    ...[...ofResponseBody, ...ofConfig].filter((code) => !NOT_MET.has(code)),
    ...(['item_not_found', 'previous_response_not_found', 'conversation_not_found'] as const),
  ],
});

/** Serves `POST …/responses/input_tokens`, under both bases. */
export function inputTokenRoutes(context: ApiContext) {
  return makeOpenaiRouter(explainResponseIssues, [serve(countOne, count(context))]);
}

function count(context: ApiContext): RouteHandler<typeof countOne, ApiEnv> {
  return async (c) => {
    const input_tokens = await countInput(context, c.get('project'), c.req.valid('json') ?? {});
    return c.json({ object: 'response.input_tokens' as const, input_tokens }, 200);
  };
}

/**
 * Estimates the tokens of the first request for a response with these fields. Asks no model, writes no data, and does
 * not check whether outputs match their calls.
 */
async function countInput(context: ApiContext, project: string, body: InputTokensBody): Promise<number> {
  const { db } = context;
  const { personality: _, model, input: given, ...fields } = body;
  const hasInput = given !== undefined && given !== null && given.length > 0;
  const asked: ResponseBody = { ...fields, model: model ?? UNNAMED, input: hasInput ? given : UNSAID };
  const { config, ...request } = await readResponseRequest(asked, { ...context, project, projects: unbound(context) });
  const history = await findNamedHistory(db, project, request);
  const resolved = hasInput ? await resolveInput(db, request.input, { project, last: history ?? undefined }) : [];
  const { input } = await takeResolved(db, resolved, { project, wire: null });
  const next = { input, config };
  const counted = history && (await loadCounted(db, history));
  return counted?.bytes
    ? bytesToTokens(counted.bytes) + estimateInput([], next)
    : estimateInput(counted?.turns ?? [], next);
}

/** A model that every installation has, for a count without a model. */
const UNNAMED = 'sim/none';

/** An input for the check of the other fields, for a count without an input. */
const UNSAID = 'Hi';

/** Projects without restricted models, because a count asks no model. */
function unbound({ projects }: ApiContext): ApiContext['projects'] {
  return { ...projects, find: (name) => ({ ...projects.find(name), allowedModels: null }) };
}
