import { type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { completionIdOf } from '#core/turn/completions/completion-id.ts';
import { latestDraft } from '#core/turn/responses/events.ts';
import type { Turn } from '#core/turn/turn.ts';
import { allowedAgents } from '../../agents/allowed-agents.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, json, routesOf } from '../../http/router.ts';
import { ofChain, ofConfig, ofIdempotencyKey, ofResponseBody } from '../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../schemas/fields/headers.ts';
import { makeOpenaiRouter, serve } from '../openai-router.ts';
import { onDisconnect } from '../responses/create-response.ts';
import { answerAtEnd } from '../responses/creating/answer-ended.ts';
import { createTurn } from '../responses/creating/create-turn.ts';
import { type HeldConnections, makeHeldConnections } from '../responses/creating/held-connections.ts';
import { explainCompletionIssues } from '../responses/request/explain-issues.ts';
import {
  createRefusals,
  ignoredToolsHeader,
  openaiHeaders,
  responseIdHeader,
} from '../responses/schemas/response-refusals.ts';
import { streamTurn } from '../responses/stream-response.ts';
import { CompletionBody } from './completion-body.ts';
import { inOwnWords, readCompletion } from './request/read-completion.ts';
import { CompletionChunk, CompletionObject } from './schemas/completion-object.ts';
import { completionNotFound, showCompletion, storeAnswers } from './show-completion.ts';
import { followCompletion } from './stream/follow-completion.ts';

const pawlStream = {
  name: 'Pawl-Stream',
  in: 'header' as const,
  description: '`committed`: text is sent after its round is committed, and is never superseded. Default: live text.',
  schema: { type: 'string' as const, enum: ['committed', 'live'] },
};

const route = routesOf('Chat Completions', createRefusals);

const createOne = route('post', '/chat/completions', 'createCompletion', {
  summary: 'Create a chat completion, and wait for it',
  description:
    'A completion is a turn. With `stream: true` the answer is a stream of chunks. A failed completion returns an error of the same kind as the provider’s, with the completion’s id in the header `pawl-response-id`.',
  parameters: [idempotencyKey, onDisconnect, pawlStream],
  request: { body: { required: true, content: json(CompletionBody) } },
  answers: {
    200: {
      description: 'The completion. As a stream: its chunks.',
      headers: z.object({ ...openaiHeaders, ...replayedHeader, ...responseIdHeader, ...ignoredToolsHeader }),
      content: {
        'application/json': { schema: CompletionObject },
        'text/event-stream': { schema: CompletionChunk },
      },
    },
  },
  refusals: [...ofResponseBody, ...ofConfig, ...ofIdempotencyKey, ...ofChain, 'completion_not_found'],
});

/** Serves `POST /v1/chat/completions` and `POST /openai/v1/chat/completions`. */
export function createCompletionRoutes(context: ApiContext) {
  return makeOpenaiRouter(explainCompletionIssues, [serve(createOne, create(context, makeHeldConnections(context)))]);
}

function create(context: ApiContext, held: HeldConnections): RouteHandler<typeof createOne, ApiEnv> {
  return async (c) => {
    const body = c.req.valid('json');
    const isCommitted = asksForCommitted(c.req.header('pawl-stream'));
    const isStream = body.stream ?? false;
    const own = { project: c.get('project'), keyId: c.get('keyId') };
    // The route types do not cover streamed answers.
    return (await createTurn(c, context, {
      ...{ held, isStream },
      read: () => readCompletion(body, { ...context, ...own, allowedAgents: allowedAgents(c, context) }),
      starting: (start) => inOwnWords(body, start).catch(asCompletion),
      answer: (turn) => (isStream ? stream(c, context, { turn, body, isCommitted }) : answer(c, context, turn)),
    })) as never;
  };
}

/** Renames the refusal for a deleted completion of an idempotency key. */
function asCompletion(error: unknown): never {
  throw error instanceof RequestRefused && error.code === 'response_not_found' ? completionNotFound() : error;
}

function answer(c: Context<ApiEnv>, context: ApiContext, turn: Turn): Promise<Response> {
  const present = (ended: Turn) => showCompletion(context, ended);
  return answerAtEnd(c, context, { turn, id: completionIdOf(turn.id), present, notFound: completionNotFound });
}

/** Returns whether text is sent only after its round is committed. Refuses unknown values with 400. */
function asksForCommitted(mode = 'live'): boolean {
  if (/^(?:committed|live)$/i.test(mode)) return mode.toLowerCase() === 'committed';
  const message = `\`Pawl-Stream\` ${quote(mode)} is not a known value. Send \`committed\` or \`live\`, or leave it out.`;
  throw new RequestRefused(400, 'invalid_value', message, 'Pawl-Stream');
}

type Streamed = { turn: Turn; body: CompletionBody; isCommitted: boolean };

function stream(c: Context<ApiEnv>, context: ApiContext, { turn, body, isCommitted }: Streamed): Response {
  const start = {
    includeUsage: body.stream_options?.include_usage ?? false,
    isCommitted,
    current: latestDraft(turn),
    showAnswer: (ended: Turn) => storeAnswers(context, [ended]),
  };
  return streamTurn(c, context, turn, (watch, _, sink) => followCompletion(watch, { ...start, sink }));
}
