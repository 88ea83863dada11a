import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { listTurns } from '#core/checkpoint/list-turns.ts';
import { isId } from '#core/id.ts';
import { presentRound, presentTurn } from '#core/turn/present-turn.ts';
import { isTerminal, type Turn as StoredTurn } from '#core/turn/turn.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn } from '../find-own.ts';
import { json, makeRouter } from '../make-router.ts';
import { PageQuery, pageOf, readCursor } from '../page.ts';
import { setPollAfter } from '../poll-after.ts';
import { listOf } from '../schemas/list-of.ts';
import { refusals } from '../schemas/refusals.ts';
import { Round, Turn, TurnStatus } from '../schemas/turn.ts';

const params = z.object({ id: z.string() });

const list = createRoute({
  method: 'get',
  path: '/v1/turns',
  summary: 'List turns, newest first',
  request: { query: PageQuery.extend({ status: TurnStatus.optional(), conversation_id: z.string().optional() }) },
  responses: { 200: { description: 'A page', content: json(listOf(Turn)) }, ...refusals },
});

const read = createRoute({
  method: 'get',
  path: '/v1/turns/{id}',
  summary: 'Poll a turn; `wait` holds the answer until it ends or needs somebody, `after` until it moves on',
  request: {
    params,
    query: z.object({
      wait: z.coerce.number().min(0).max(60).default(0),
      after: z.coerce.number().int().min(0).optional(),
    }),
  },
  responses: { 200: { description: 'The turn as it is now', content: json(Turn) }, ...refusals },
});

const readRounds = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/rounds',
  summary: 'Read the committed rounds of a turn',
  request: { params },
  responses: { 200: { description: 'All rounds', content: json(listOf(Round)) }, ...refusals },
});

/** `GET /v1/turns…`: polling, one turn or a list. */
export function turnRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(list, listAll(context))
    .openapi(read, poll(context))
    .openapi(readRounds, listRounds(context));
}

function listAll({ db }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  return async (c) => {
    const { cursor, limit, status, conversation_id: conversationId } = c.req.valid('query');
    const isNobodys = conversationId !== undefined && !isId('conv', conversationId);
    const filter = { ...(status && { status }), ...(conversationId && { conversationId }) };
    const page = { ...filter, ...readCursor('turn', cursor), limit: limit + 1 };
    const rows = isNobodys ? [] : await listTurns(db, c.get('project'), page);
    return c.json(pageOf(rows, limit, presentTurn), 200);
  };
}

function poll({ db, watch }: ApiContext): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const { wait, after } = c.req.valid('query');
    const turn = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    const isEnough = (now: StoredTurn) => isSettled(now) || (after !== undefined && now.lastEvent > after);
    const timing = { timeoutMs: wait * 1000, signal: c.req.raw.signal };
    const now = wait === 0 || isEnough(turn) ? turn : ((await watch.waitFor(turn.id, isEnough, timing)) ?? turn);
    setPollAfter(c, now);
    return c.json(presentTurn(now), 200);
  };
}

/** Nothing will change by itself any more. */
function isSettled({ status }: StoredTurn): boolean {
  return isTerminal(status) || status === 'requires_action';
}

function listRounds({ db }: ApiContext): RouteHandler<typeof readRounds, ApiEnv> {
  return async (c) => {
    const { rounds, work } = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    const data = rounds.map((round) => presentRound(round, work.held));
    return c.json({ object: 'list' as const, data, has_more: false, next_cursor: null }, 200);
  };
}
