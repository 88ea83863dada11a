import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import type { Turn } from '#core/turn/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import type { Made } from '../../start/made.ts';
import type { ApiContext } from '../context.ts';
import { findReplay } from '../http/idempotency.ts';
import { RESPONSE_BASES, type ResponseBase } from '../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { hasScope } from '../http/scopes.ts';
import { startedBy } from '../http/started-by.ts';
import { startWithinQuota } from '../quotas/start-within-quota.ts';
import { ofChain, ofConfig, ofIdempotencyKey, ofResponseBody } from '../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../schemas/fields/headers.ts';
import { answerWhenEnded } from './answer-ended.ts';
import { findOwnResponse, responseNotFound } from './find-response.ts';
import { type HeldConnections, makeHeldConnections } from './held-connections.ts';
import { type ReadRequest, readResponseRequest } from './read-request.ts';
import { explainResponseIssues } from './request/explain-issues.ts';
import { ResponseBody } from './response-body.ts';
import { operationAt } from './schemas/operation-at.ts';
import {
  createRefusals,
  ignoredToolsHeader,
  openaiHeaders,
  responseIdHeader,
  responseOrEvents,
} from './schemas/response-refusals.ts';
import { startingOf } from './start-response.ts';
import { streamResponse } from './stream-response.ts';

const onDisconnect = {
  name: 'Pawl-On-Disconnect',
  in: 'header' as const,
  description: '`continue`: the response goes on when this connection is closed. By default that cancels it.',
  schema: { type: 'string' as const, enum: ['continue', 'cancel'] },
};

const createAt = (base: ResponseBase) =>
  createRoute({
    method: 'post',
    path: `${base}/responses`,
    ...operationAt(base, 'createResponse', 'Create a response, and wait for it'),
    description:
      'With `background: true` it is answered at once, `queued`. With `stream: true` it is a stream of events. A response ' +
      'that failed is answered as an error of the provider’s kind, with its id in the header `pawl-response-id`.',
    parameters: [idempotencyKey, onDisconnect],
    request: { body: { required: true, content: json(ResponseBody) } },
    responses: {
      200: {
        description: 'The response: ended, or queued where it runs in the background. As a stream: its events.',
        headers: z.object({ ...openaiHeaders, ...replayedHeader, ...responseIdHeader, ...ignoredToolsHeader }),
        content: responseOrEvents,
      },
      ...createRefusals(...ofResponseBody, ...ofConfig, ...ofIdempotencyKey, ...ofChain),
    },
  });

type CreateHandler = RouteHandler<ReturnType<typeof createAt>, ApiEnv>;

/** `POST /v1/responses` and `POST /openai/v1/responses`. */
export function createResponseRoutes(context: ApiContext) {
  const router = makeRouter(explainResponseIssues);
  const handler = create(context, makeHeldConnections(context));
  for (const base of RESPONSE_BASES) router.openapi(createAt(base), handler);
  return router;
}

function create(context: ApiContext, held: HeldConnections): CreateHandler {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const { stream, background } = body;
    const start = await startingTurn(c, context, body);
    // An answer that takes long counts among the streams and long polls of its key: it is refused before anything is done.
    const takesLong = stream || !background;
    const release = takesLong ? context.streamLimiter.acquire({ project, keyId: c.get('keyId') }) : () => {};
    try {
      const turn = await start();
      // The answer may be long in coming, and needs nothing of the body.
      c.get('releaseBody')();
      if (!background) held.hold(c.env.outgoing, turn, { goesOn: mayGoOn(c) });
      if (!takesLong) return c.json(presentResponse(context.stateSeals.sealRounds(turn)), 200);
      // Streams count themselves. What is streamed or held is not the one answer that the types know of.
      if (stream) release();
      const answer = stream ? streamResponse : answerWhenEnded;
      return (await answer(c, context, { turn, after: null })) as never;
    } finally {
      release();
    }
  };
}

/** What starts the turn of a request that is read by then, or finds that of the same key: whatever its body names may be gone. */
async function startingTurn(c: Context<ApiEnv>, context: ApiContext, body: ResponseBody): Promise<() => Promise<Turn>> {
  const replay = await findReplay(c, context);
  if (replay) return () => replayedTurn(c, context, replay);
  const request = await readResponseRequest(body, { ...context, project: c.get('project') });
  return () => startTurnOf(c, context, request);
}

async function startTurnOf(c: Context<ApiEnv>, context: ApiContext, request: ReadRequest): Promise<Turn> {
  const { wire } = context.providers.ofModel(request.config.model, request.config.wires).capabilities;
  const start = { ...startedBy(c, context), mayApprove: hasScope(c.get('scopes'), 'approve'), request, wire };
  const made = await startWithinQuota(c, context, startingOf(start));
  if (request.ignoredTools.length > 0) c.header('pawl-ignored-tools', request.ignoredTools.join(', '));
  if (!('turn' in made)) return replayedTurn(c, context, made);
  await publishChanges(context, { wakeups: made.wakeups });
  return made.turn;
}

function mayGoOn(c: Context<ApiEnv>): boolean {
  return c.req.header('pawl-on-disconnect')?.toLowerCase() === 'continue';
}

/** The turn that was started when the same key came first: also one that is not stored. */
async function replayedTurn(c: Context<ApiEnv>, context: ApiContext, made: Made): Promise<Turn> {
  const turn = await loadTurn(context.db, made.resourceId);
  if (!turn) throw responseNotFound();
  return turn.stored ? findOwnResponse(context.db, c.get('project'), turn.id.replace(/^turn_/, 'resp_')) : turn;
}
