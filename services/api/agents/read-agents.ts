import { z } from '@hono/zod-openapi';
import { listAgents, listVersions } from '#core/checkpoint/agents/agents.ts';
import { RequestRefused } from '#core/failure.ts';
import { AGENT_NAME } from '#core/turn/agents/agent-reference.ts';
import { presentAgent } from '#core/turn/resource/agent.ts';
import type { ApiContext } from '../context.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { queryInteger } from '../schemas/fields/query-number.ts';
import { listOf, PageQuery, pageOf, readCursor } from '../schemas/page.ts';
import { Agent } from './agent.ts';
import { agentNotFound, findOwnAgent } from './find-own-agent.ts';

/** The path of an agent. */
export const agentParams = z.object({ id: z.string().describe('The id or the name of the agent.') });

const MAX_VERSION = 999_999_999;

const route = routesOf('Agents');

const list = route('get', '/v1/agents', 'listAgents', {
  summary: 'List agents with their current versions, newest first',
  request: { query: PageQuery },
  answers: { 200: jsonAnswer('A page.', listOf(Agent)) },
  refusals: ['invalid_value'],
});

const readOne = route('get', '/v1/agents/{id}', 'readAgent', {
  summary: 'Read an agent with a version',
  description: 'With `version`, a deleted agent can be read by its id as long as turns with its name exist.',
  request: {
    params: agentParams,
    query: z.object({
      version: queryInteger({ min: 1, max: MAX_VERSION })
        .optional()
        .describe('The version to read. Default: the current version.'),
    }),
  },
  answers: { 200: jsonAnswer('The agent.', Agent) },
  refusals: ['agent_not_found', 'invalid_value'],
});

const versions = route('get', '/v1/agents/{id}/versions', 'listAgentVersions', {
  summary: 'List the versions of an agent, newest first',
  request: { params: agentParams, query: PageQuery },
  answers: { 200: jsonAnswer('A page.', listOf(Agent)) },
  refusals: ['agent_not_found', 'invalid_value'],
});

/** Serves the reads of `/v1/agents`. */
export function readAgentRoutes({ db }: ApiContext) {
  return makeRouter()
    .openapi(list, async (c) => {
      const { cursor, limit } = c.req.valid('query');
      const rows = await listAgents(db, c.get('project'), { ...readCursor('agent', cursor), limit: limit + 1 });
      return c.json(pageOf(rows, limit, presentAgent), 200);
    })
    .openapi(readOne, async (c) => {
      const { version } = c.req.valid('query');
      const agent = await findOwnAgent(db, c.get('project'), { idOrName: c.req.valid('param').id, version });
      return c.json(presentAgent(agent), 200);
    })
    .openapi(versions, async (c) => {
      const { cursor, limit } = c.req.valid('query');
      const { id: idOrName } = c.req.valid('param');
      if (!AGENT_NAME.test(idOrName)) throw agentNotFound(idOrName);
      const before = cursor === undefined ? undefined : readVersion(cursor);
      const rows = await listVersions(db, c.get('project'), { idOrName, before, limit: limit + 1 });
      if (rows.length === 0 && before === undefined) throw agentNotFound(idOrName);
      const shown = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      const next_cursor = hasMore ? String(shown.at(-1)?.version) : null;
      return c.json({ object: 'list' as const, data: shown.map(presentAgent), has_more: hasMore, next_cursor }, 200);
    });
}

/** Reads the cursor of a list of versions: the last version of the page before. */
function readVersion(cursor: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(cursor)) return Number(cursor);
  const message = '`cursor` is not a cursor of this list. Use `next_cursor` of the page before, or omit `cursor`.';
  throw new RequestRefused(400, 'invalid_value', message, 'cursor');
}
