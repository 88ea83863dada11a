import { createAgent } from '#core/checkpoint/agents/agents.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { quote } from '#core/text.ts';
import { AgentRequest } from '#core/turn/agents/agent-request.ts';
import { presentAgent } from '#core/turn/resource/agent.ts';
import { checkStanding } from '../../start/resolve-config.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { findReplay, withIdempotencyKey } from '../http/idempotency.ts';
import { json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofBody, ofConfig, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { createdHeaders, idempotencyKey } from '../schemas/fields/headers.ts';
import { Agent } from './agent.ts';
import { refuseKeyWithAgents } from './allowed-agents.ts';
import { findCreated } from './find-own-agent.ts';

const route = routesOf('Agents');

const create = route('post', '/v1/agents', 'createAgent', {
  summary: 'Create an agent: a configuration with a name and versions',
  description: 'Pawl checks the configuration like the configuration of a turn. Turns use it by `agent`.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(AgentRequest) } },
  answers: { 201: jsonAnswer('Created, with version 1.', Agent, createdHeaders) },
  refusals: [...ofBody, ...ofConfig, ...ofIdempotencyKey, 'agent_exists'],
});

/** Serves `POST /v1/agents`. */
export function createAgentRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues).openapi(create, async (c) => {
    const project = c.get('project');
    refuseKeyWithAgents(c, context);
    const { name, metadata, ...config } = c.req.valid('json');
    const replay = await findReplay(c, context);
    if (!replay) await checkStanding(config, { ...context, project });
    const agent = { id: newId('agent'), project, name, config: withoutNulls(config), metadata: metadata ?? {} };
    const created =
      replay ??
      (await withIdempotencyKey(c, context, {
        inTransaction: async (trx) => {
          if (!(await createAgent(trx, agent))) throw nameExists(name);
          return { status: 201, resourceId: agent.id };
        },
      }));
    c.header('Location', `${context.publicUrl}/v1/agents/${created.resourceId}`);
    return c.json(presentAgent(await findCreated(context.db, project, created.resourceId)), 201);
  });
}

function nameExists(name: string): RequestRefused {
  const message = `The project has an agent ${quote(name)} already. Change it, or choose another name.`;
  return new RequestRefused(409, 'agent_exists', message, 'name');
}

/** Returns the fields with a value. `null` means the default, as an absent field does. */
export function withoutNulls<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  // The fields are optional.
  return Object.fromEntries(given) as Fields;
}
