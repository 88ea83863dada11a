import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import { openaiHistory } from '#core/turn/history/openai.ts';
import { turnBefore } from '#core/turn/history/turn-before.ts';
import { reachedLimit } from '#core/turn/reached-limit.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { refusals } from '../../schemas/errors/refusals.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { PageQuery, readCursor } from '../../schemas/page.ts';
import { listSent, type SentPage } from './list-sent.ts';
import { SentRound } from './schemas/sent-round.ts';

const route = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/rounds/{number}/sent',
  operationId: 'readSentRound',
  tags: ['Turns'],
  summary: 'Read what the model was sent for a round',
  description:
    'Made by the code that makes the request, of what is kept: deleted items are left out, blobs are named by their path, and a ' +
    'round that was not answered yet shows what is sent for it. Each wire then says it in its own words. The messages of more than ' +
    '100 turns, or of some megabytes, are split into pages of whole turns.',
  request: {
    params: z.object({ id: TurnId, number: z.string().describe('The number of the round, from 1.') }),
    query: PageQuery.pick({ cursor: true }),
  },
  responses: {
    200: { description: 'The request.', content: json(SentRound) },
    ...refusals('turn_not_found', 'round_not_found', 'invalid_value'),
  },
});

/** `GET /v1/turns/:id/rounds/:number/sent`. */
export function sentRoundRoutes({ db }: ApiContext) {
  const handler: RouteHandler<typeof route, ApiEnv> = async (c) => {
    const { id, number } = c.req.valid('param');
    const turn = await findOwnTurn(db, c.get('project'), id);
    const round = readRound(turn, number);
    const { before: after } = readCursor('turn', c.req.valid('query').cursor);
    return c.json(await sentFor(db, { turn, round }, after), 200);
  };
  return makeRouter().openapi(route, handler);
}

/** Rounds that were answered, and the one that is asked now, or was when the turn failed. */
function readRound({ rounds, status }: Turn, number: string): number {
  const goesOn = status === 'in_progress' || status === 'requires_action' || status === 'queued' || status === 'failed';
  const round = /^[1-9]\d{0,5}$/.test(number) ? Number(number) : 0;
  if (round >= 1 && round <= rounds.length + (goesOn ? 1 : 0)) return round;
  const message = `This turn has no such round: it has ${rounds.length}, numbered from 1.`;
  throw new RequestRefused(404, 'round_not_found', message, 'number');
}

async function sentFor(
  db: Db,
  { turn, round }: { turn: Turn; round: number },
  after: SentPage['after'],
): Promise<z.output<typeof SentRound>> {
  const own = turnBefore(turn, round);
  const step = { kind: 'run-round' as const, round, final: reachedLimit(own) };
  const request = roundRequest(own, step, []);
  const { rows, nextCursor } = await listSent(db, turn.conversationId, { own, after });
  return {
    object: 'sent_round' as const,
    ...{ turn_id: turn.id, round, model: own.work.model, instructions: request.instructions },
    ...{ messages: openaiHistory(rows), has_more: nextCursor !== null, next_cursor: nextCursor },
    ...{ tools: request.tools.map(presentTool), ...presentSettings(request) },
  };
}

function presentTool({ name, description, parameters }: RoundRequest['tools'][number]) {
  return { name, description, parameters };
}

function presentSettings(request: RoundRequest) {
  const { toolChoice, parallelToolCalls, temperature, topP, reasoningEffort, verbosity, stop, seed } = request;
  return {
    ...{ tool_choice: toolChoice, parallel_tool_calls: parallelToolCalls, temperature, top_p: topP },
    ...{ reasoning_effort: reasoningEffort, verbosity, stop, seed, text_format: request.textFormat },
    ...{ max_output_tokens: request.maxOutputTokens, provider_options: request.providerOptions },
  };
}
