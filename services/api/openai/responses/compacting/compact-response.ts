import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../../http/router.ts';
import { ofChain, ofConfig, ofIdempotencyKey, ofResponseBody } from '../../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../../schemas/fields/headers.ts';
import { onDisconnect } from '../create-response.ts';
import { answerAtEnd } from '../creating/answer-ended.ts';
import { createTurn } from '../creating/create-turn.ts';
import { type HeldConnections, makeHeldConnections } from '../creating/held-connections.ts';
import { responseNotFound } from '../find-response.ts';
import { explainResponseIssues } from '../request/explain-issues.ts';
import { operationAt } from '../schemas/operation-at.ts';
import { createRefusals, openaiHeaders, responseIdHeader } from '../schemas/response-refusals.ts';
import { CompactBody } from './compact-body.ts';
import { CompactionObject } from './compaction-object.ts';
import { compactionError, presentCompaction } from './present-compaction.ts';
import { readCompaction } from './read-compaction.ts';

const compactAt = (base: ResponseBase) =>
  createRoute({
    method: 'post',
    path: `${base}/responses/compact`,
    ...operationAt(base, 'compactResponse', 'Compact a history, and wait for it'),
    description:
      'The model writes a summary of the history. The answer has the messages of the user and the sealed summary: ' +
      'send them at the head of a later `input`. The request is a turn that is not stored. If it fails, it is ' +
      'answered as an error of the provider’s kind.',
    parameters: [idempotencyKey, onDisconnect],
    request: { body: { required: true, content: json(CompactBody) } },
    responses: {
      200: {
        description: 'The compacted history.',
        headers: z.object({ ...openaiHeaders, ...replayedHeader, ...responseIdHeader }),
        content: json(CompactionObject),
      },
      ...createRefusals(
        ...[...ofResponseBody, ...ofConfig, ...ofIdempotencyKey, ...ofChain].filter((code) => !NOT_MET.has(code)),
        'compaction_failed',
      ),
    },
  });

/** Refusals of fields that a compaction does not have. */
const NOT_MET = new Set([
  ...['background_requires_store', 'invalid_output_schema', 'conversation_not_found', 'unsupported_tool'],
  ...['approval_already_used'],
  ...['mcp_server_not_configured', 'mutually_exclusive_parameters', 'unknown_mcp_server', 'mcp_server_unavailable'],
  ...['invalid_tool', 'unknown_tool', 'tools_not_supported'],
  ...['unknown_secret', 'secret_not_allowed', 'egress_blocked'],
]);

/** `POST …/responses/compact`, under both bases (contract-responses R71). */
export function compactResponseRoutes(context: ApiContext) {
  const router = makeRouter(explainResponseIssues);
  const handler = compact(context, makeHeldConnections(context));
  for (const base of RESPONSE_BASES) router.openapi(compactAt(base), handler);
  return router;
}

function compact(context: ApiContext, held: HeldConnections): RouteHandler<ReturnType<typeof compactAt>, ApiEnv> {
  return async (c) => {
    const body = c.req.valid('json');
    const answer = (turn: Turn) =>
      answerAtEnd(c, context, {
        ...{ turn, id: responseIdOf(turn.id), notFound: responseNotFound, errorOf: compactionError },
        present: (ended) => presentCompaction(context, ended),
      });
    const read = () => readCompaction(body, { ...context, project: c.get('project') });
    // The route types do not cover held answers.
    return (await createTurn(c, context, { read, held, isStream: false, answer })) as never;
  };
}
