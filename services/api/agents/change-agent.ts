import type { RouteHandler } from '@hono/zod-openapi';
import { addVersion, deleteAgent, lockAgent, setAgentMetadata } from '#core/checkpoint/agents/agents.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Agent as StoredAgent } from '#core/turn/agents/agent.ts';
import { AgentChanges } from '#core/turn/agents/agent-request.ts';
import { presentAgent } from '#core/turn/resource/agent.ts';
import { checkStanding, inheritedBy } from '../../start/resolve-config.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofBody, ofConfig } from '../schemas/errors/refusals.ts';
import { Agent } from './agent.ts';
import { refuseKeyWithAgents } from './allowed-agents.ts';
import { withoutNulls } from './create-agent.ts';
import { agentNotFound, findOwnAgent } from './find-own-agent.ts';
import { agentParams } from './read-agents.ts';

const route = routesOf('Agents');

const change = route('patch', '/v1/agents/{id}', 'changeAgent', {
  summary: 'Create the next version of an agent',
  description:
    'Omitted fields keep their values, and `null` restores the default. A version never changes. Turns that ' +
    'were accepted keep their version.',
  request: { params: agentParams, body: { required: true, content: json(AgentChanges) } },
  answers: { 200: jsonAnswer('The agent with its new version.', Agent) },
  refusals: [...ofBody, ...ofConfig, 'agent_not_found', 'version_conflict'],
});

const remove = route('delete', '/v1/agents/{id}', 'deleteAgent', {
  summary: 'Delete an agent and keep its turns',
  description: 'New turns cannot use the agent. Its name is free again, and begins with version 1.',
  request: { params: agentParams },
  answers: { 204: { description: 'Deleted.' } },
  refusals: ['quota_exceeded', 'agent_not_found', 'agent_not_allowed'],
});

/** Serves `PATCH` and `DELETE /v1/agents/:id`. */
export function changeAgentRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues)
    .openapi(change, changeOne(context))
    .openapi(remove, async (c) => {
      refuseKeyWithAgents(c, context);
      const project = c.get('project');
      const { id: idOrName } = c.req.valid('param');
      const agent = await findOwnAgent(context.db, project, { idOrName });
      await context.db.transaction().execute(async (trx) => {
        if ((await lockAgent(trx, agent)) === undefined) throw agentNotFound(idOrName);
        await deleteAgent(trx, agent);
      });
      return c.body(null, 204);
    });
}

/** The number of times a change is tried again if another version was created between its check and its lock. */
const TRIES = 5;

function changeOne(context: ApiContext): RouteHandler<typeof change, ApiEnv> {
  const { db } = context;
  return async (c) => {
    refuseKeyWithAgents(c, context);
    const project = c.get('project');
    const { id: idOrName } = c.req.valid('param');
    const { version: basis, metadata, ...fields } = c.req.valid('json');
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const agent = await findOwnAgent(db, project, { idOrName });
      if (basis && basis !== agent.version) throw conflict(agent.version);
      const config = nextConfig(agent, fields);
      if (config) await checkStanding(config, { ...context, project });
      const isChanged = await saveChange(db, agent, { config, metadata });
      if (!isChanged) continue;
      // Another change may have created a later version since.
      const version = config ? agent.version + 1 : agent.version;
      return c.json(presentAgent(await findOwnAgent(db, project, { idOrName: agent.id, version })), 200);
    }
    const message = 'Other requests change this agent at the same time. Try again.';
    throw new RequestRefused(409, 'version_conflict', message);
  };
}

type Change = { config: Fields | null; metadata: AgentChanges['metadata'] };

/** Saves a change. Returns false, without a change, if another version was created since the agent was read. */
function saveChange(db: Db, agent: StoredAgent, { config, metadata }: Change): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const current = await lockAgent(trx, agent);
    if (current === undefined) throw agentNotFound(agent.name);
    if (current !== agent.version) return false;
    if (config) await addVersion(trx, agent.id, config);
    if (metadata !== undefined) await setAgentMetadata(trx, agent.id, metadata ?? {});
    return true;
  });
}

type Fields = Omit<AgentChanges, 'version' | 'metadata'>;

/** Returns the configuration of the next version, or null if no field is given. */
function nextConfig({ config }: StoredAgent, fields: Fields): Fields | null {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) return null;
  return withoutNulls({ ...inheritedBy(fields, config), ...given });
}

function conflict(version: number): RequestRefused {
  const message = `The current version of the agent is ${version}. Read it, and make the change again.`;
  return new RequestRefused(409, 'version_conflict', message, 'version');
}
