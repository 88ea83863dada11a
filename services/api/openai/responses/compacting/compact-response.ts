import type { RouteHandler } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import { SUMMARY_REQUEST } from '#core/turn/compaction/summary-prompt.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { allowedAgents } from '../../../agents/allowed-agents.ts';
import type { ApiContext } from '../../../context.ts';
import { type ApiEnv, json, routesOf } from '../../../http/router.ts';
import { ofChain, ofConfig, ofIdempotencyKey, ofResponseBody } from '../../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../../schemas/fields/headers.ts';
import { makeOpenaiRouter, serve } from '../../openai-router.ts';
import { onDisconnect } from '../create-response.ts';
import { answerAtEnd } from '../creating/answer-ended.ts';
import { createTurn } from '../creating/create-turn.ts';
import { type HeldConnections, makeHeldConnections } from '../creating/held-connections.ts';
import { responseNotFound } from '../find-response.ts';
import { type ReadRules, readResponseRequest } from '../read-response-request.ts';
import { explainResponseIssues } from '../request/explain-issues.ts';
import type { PlacedItem } from '../request/read-input.ts';
import type { ReadRequest } from '../request/read-request.ts';
import { createRefusals, openaiAnswer, responseIdHeader } from '../schemas/response-refusals.ts';
import { CompactBody, CompactionObject } from './compaction-object.ts';
import { compactionError, presentCompaction } from './present-compaction.ts';

/** Refusals of fields that a compaction does not have. */
const NOT_MET = new Set([
  ...['background_requires_store', 'invalid_output_schema', 'conversation_not_found', 'unsupported_tool'],
  ...['approval_already_used'],
  ...['mcp_server_not_configured', 'mutually_exclusive_parameters', 'unknown_mcp_server', 'mcp_server_unavailable'],
  ...['invalid_tool', 'unknown_tool', 'tools_not_supported'],
  ...['unknown_secret', 'secret_not_allowed', 'egress_blocked'],
]);

const route = routesOf('Responses', createRefusals);

const compactOne = route('post', '/responses/compact', 'compactResponse', {
  summary: 'Compact a history, and wait for it',
  description:
    'The model writes a summary of the history. The answer has the user’s messages and the sealed summary. Send them at the start of a later `input`. The request is a turn that is not stored. If it fails, the answer is an error of the same kind as the provider’s.',
  parameters: [idempotencyKey, onDisconnect],
  request: { body: { required: true, content: json(CompactBody) } },
  answers: {
    200: openaiAnswer('The compacted history.', CompactionObject, { ...replayedHeader, ...responseIdHeader }),
  },
  refusals: [
    ...[...ofResponseBody, ...ofConfig, ...ofIdempotencyKey, ...ofChain].filter((code) => !NOT_MET.has(code)),
    'compaction_failed',
  ],
});

/** Serves `POST …/responses/compact`, under both bases. */
export function compactResponseRoutes(context: ApiContext) {
  return makeOpenaiRouter(explainResponseIssues, [serve(compactOne, compact(context, makeHeldConnections(context)))]);
}

function compact(context: ApiContext, held: HeldConnections): RouteHandler<typeof compactOne, ApiEnv> {
  return async (c) => {
    const body = c.req.valid('json');
    const answer = (turn: Turn) =>
      answerAtEnd(c, context, {
        ...{ turn, id: responseIdOf(turn.id), notFound: responseNotFound, errorOf: compactionError },
        present: (ended) => presentCompaction(context, ended),
      });
    const read = () =>
      readCompaction(body, { ...context, project: c.get('project'), allowedAgents: allowedAgents(c, context) });
    // The route types do not cover held answers.
    return (await createTurn(c, context, { read, held, isStream: false, answer })) as never;
  };
}

/**
 * Reads a compaction as the create request of an unstored response. Its input is the history, followed by the
 * question for a summary. Refuses a field like `readResponseRequest`.
 */
async function readCompaction(body: CompactBody, rules: ReadRules): Promise<ReadRequest> {
  const { image: _, input, ...fields } = body;
  const asked = { ...fields, input: input ?? [], store: false };
  const request = await readResponseRequest(asked, { ...rules, isCompaction: true });
  refuseApprovals(request.input);
  const question = { at: request.input.length, item: { role: 'user' as const, content: SUMMARY_REQUEST } };
  return { ...request, input: [...request.input, question] };
}

/** Refuses an approval of a call that has not run, because a compaction runs no calls. */
function refuseApprovals(input: PlacedItem[]): void {
  const items = input.map(({ item }) => item);
  const run = items.flatMap((item) => ('type' in item && item.type === 'mcp_call' ? item.approval_request_id : []));
  const approval = input.find(
    ({ item }) =>
      'type' in item &&
      item.type === 'mcp_approval_response' &&
      item.approve &&
      !run.includes(item.approval_request_id),
  );
  if (!approval) return;
  const item = `input[${approval.at}]`;
  const message = `\`${item}\` approves a call, but a compaction runs no calls. Send the item to \`POST /v1/responses\`.`;
  throw new RequestRefused(400, 'unsupported_input_item', message, `${item}.type`);
}
