import { type RouteHandler, z } from '@hono/zod-openapi';
import { listTurns, listWholeTurns } from '#core/checkpoint/turns/reading/list.ts';
import { isId } from '#core/id.ts';
import { cutResults } from '#core/turn/resource/cut-results.ts';
import { presentLedger } from '#core/turn/resource/ledger.ts';
import { presentListed, presentTurn } from '#core/turn/resource/turn.ts';
import { presentTurnConfig } from '#core/turn/resource/turn-config.ts';
import type { PartsAway } from '#core/turn/resource/waiting.ts';
import { isAdded, isTerminal, type ListedTurn as StoredListed, type Turn as StoredTurn } from '#core/turn/turn.ts';
import type { ApiContext } from '../context.ts';
import { answerTagged } from '../http/answer-tagged.ts';
import { findOwnTurn } from '../http/find-own.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { entityTagHeader, ifNoneMatch, notModified, pollAfterHeader } from '../schemas/fields/headers.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { MetadataQuery, readMetadata } from '../schemas/fields/metadata-query.ts';
import { LARGEST_EVENT_NUMBER, queryInteger, queryNumber } from '../schemas/fields/query-number.ts';
import { fullPage, listOf, PageQuery, readCursor, wholeList } from '../schemas/page.ts';
import { LedgerRounds } from './schemas/ledger-round.ts';
import { ListedTurn, Turn } from './schemas/turn.ts';
import { storedFilter, turnFilterFields } from './schemas/turn-filter.ts';

const params = z.object({ id: TurnId });

const MOST_RESULT_BYTES = 2 ** 31 - 1;

const route = routesOf('Turns');

const list = route('get', '/v1/turns', 'listTurns', {
  summary: 'List turns, newest first',
  description:
    '`rounds` is present only with `include=rounds`. A page of large turns may have fewer than `limit` turns.',
  request: {
    query: PageQuery.extend({
      ...turnFilterFields,
      metadata: MetadataQuery,
      include: z.enum(['rounds']).optional().describe('`rounds`: each turn with its rounds.'),
    }),
  },
  answers: { 200: jsonAnswer('A page.', listOf(ListedTurn)) },
  refusals: ['invalid_value'],
});

const read = route('get', '/v1/turns/{id}', 'readTurn', {
  summary: 'Poll a turn, or wait for it',
  parameters: [ifNoneMatch],
  request: {
    params,
    query: z.object({
      wait: queryNumber({ min: 0, max: 60 })
        .default(0)
        .describe('The maximum time in seconds to wait until the turn ends or requires action.'),
      after: queryInteger({ min: 0, max: LARGEST_EVENT_NUMBER })
        .optional()
        .describe('Together with `wait`: answer as soon as `last_event` is higher than this number.'),
      max_result_bytes: queryInteger({ min: 0, max: MOST_RESULT_BYTES })
        .optional()
        .describe('The maximum number of bytes of text to show of each result. `truncated` marks a shortened result.'),
      include: z.enum(['config']).optional().describe('`config`: the configuration of the turn.'),
    }),
  },
  answers: {
    200: jsonAnswer('The turn as it is now.', Turn, { ...pollAfterHeader, ...entityTagHeader }),
    ...notModified,
  },
  refusals: ['turn_not_found', 'invalid_value', 'too_many_streams'],
});

const readRounds = route('get', '/v1/turns/{id}/rounds', 'listRounds', {
  summary: 'Read the committed rounds of a turn with the ledger of their calls',
  description: 'The ledger has the approval of each call, its times and tries, and the key that its tool receives.',
  parameters: [ifNoneMatch],
  request: { params },
  answers: { 200: jsonAnswer('All rounds.', LedgerRounds, entityTagHeader), ...notModified },
  refusals: ['turn_not_found'],
});

/** Serves `GET /v1/turns…`: polls a turn, or lists turns. */
export function readTurnRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(list, listAll(context))
    .openapi(read, poll(context))
    .openapi(readRounds, async (c) => {
      const turn = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
      const { rounds: data, ...adopted } = presentLedger(turn);
      return answerTagged(c, { ...wholeList(data), ...adopted });
    });
}

function listAll({ readAnywhere, availability }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  const listed = (turn: StoredListed) => presentListed(turn, availability.last().away);
  const whole = (turn: StoredTurn) => presentWhole(turn, availability.last().away);
  return async (c) => {
    const { cursor, limit, include, metadata: _, ...given } = c.req.valid('query');
    const filter = storedFilter({ ...given, ...readMetadata(c.req.queries()) });
    const page = { ...filter, ...readCursor('turn', cursor), limit };
    const project = c.get('project');
    if (filter.conversationId !== undefined && !isId('conv', filter.conversationId))
      return c.json(fullPage(NONE, presentListed), 200);
    if (include === undefined)
      return c.json(fullPage(await readAnywhere((db) => listTurns(db, project, page)), listed), 200);
    return c.json(fullPage(await readAnywhere((db) => listWholeTurns(db, project, page)), whole), 200);
  };
}

const NONE = { rows: [], hasMore: false };

function presentWhole(turn: StoredTurn, away: PartsAway) {
  return { ...presentTurn(turn, away), rounds_count: turn.rounds.length };
}

function poll({ db, streamHub, streamLimiter, availability }: ApiContext): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const { wait, after, max_result_bytes: maxResultBytes, include } = c.req.valid('query');
    const { id } = c.req.valid('param');
    const project = c.get('project');
    const isEnough = (turn: StoredTurn) =>
      !isFound(turn, project) || (after === undefined ? isSettled(turn) : isBeyond(turn, after));
    const timing = { timeoutMs: wait * 1000, untilSettled: after === undefined, project, signal: c.req.raw.signal };
    const waitFor = async () => {
      const release = streamLimiter.acquire({ project, keyId: c.get('keyId') });
      return streamHub.waitFor(id, isEnough, timing).finally(release);
    };
    const found = wait === 0 || !isId('turn', id) ? undefined : await waitFor();
    const turn = found && isFound(found, project) ? found : await findOwnTurn(db, project, id);
    setPollAfter(c, turn);
    const shown = presentTurn(turn, availability.last().away);
    const cut = maxResultBytes === undefined ? shown : cutResults(shown, maxResultBytes);
    return answerTagged(c, { ...cut, ...(include && { config: presentTurnConfig(turn.config) }) });
  };
}

function isFound(turn: StoredTurn, caller: string): boolean {
  return turn.project === caller && turn.stored && !turn.hidden && !isAdded(turn);
}

function isBeyond({ status, lastEvent }: StoredTurn, after: number): boolean {
  return isTerminal(status) || lastEvent > after;
}

/** Returns whether only a request can change the turn. */
function isSettled({ status }: StoredTurn): boolean {
  return isTerminal(status) || status === 'requires_action';
}
