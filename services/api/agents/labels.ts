import { z } from '@hono/zod-openapi';
import { lockAgent, removeLabel, setLabel } from '#core/checkpoint/agents/agents.ts';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { AgentLabel } from '#core/turn/agents/agent.ts';
import { AGENT_LABEL } from '#core/turn/agents/agent-reference.ts';
import { LabelRequest } from '#core/turn/agents/agent-request.ts';
import { presentAgent } from '#core/turn/resource/agent.ts';
import type { ApiContext } from '../context.ts';
import { json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofBody } from '../schemas/errors/refusals.ts';
import { Agent } from './agent.ts';
import { refuseKeyWithAgents } from './allowed-agents.ts';
import { agentNotFound, findOwnAgent } from './find-own-agent.ts';
import { agentParams } from './read-agents.ts';

const NAMED = 'use a lower-case letter, then up to 31 lower-case letters, digits, _ and -';
const params = agentParams.extend({
  label: z.string().regex(AGENT_LABEL, NAMED).describe('The name of the label, such as `production`.'),
});

const route = routesOf('Agents');

const set = route('put', '/v1/agents/{id}/labels/{label}', 'setAgentLabel', {
  summary: 'Set the version that a label of an agent names',
  description:
    'With weights in `versions`, each conversation gets one of the versions, and keeps it while the weights stay. Turns that were accepted keep their version.',
  request: { params, body: { required: true, content: json(LabelRequest) } },
  answers: { 200: jsonAnswer('The agent with its labels.', Agent) },
  refusals: [...ofBody, 'agent_not_allowed', 'agent_not_found', 'mutually_exclusive_parameters'],
});

const remove = route('delete', '/v1/agents/{id}/labels/{label}', 'deleteAgentLabel', {
  summary: 'Delete a label of an agent',
  request: { params },
  answers: { 204: { description: 'Deleted.' } },
  refusals: ['quota_exceeded', 'invalid_value', 'agent_not_allowed', 'agent_not_found', 'agent_label_not_found'],
});

/** Serves `/v1/agents/:id/labels/:label`. */
export function labelRoutes(context: ApiContext) {
  const { db } = context;
  return makeRouter()
    .openapi(set, async (c) => {
      refuseKeyWithAgents(c, context);
      const { id: idOrName, label: name } = c.req.valid('param');
      const label = readLabel(c.req.valid('json'));
      const agent = await findOwnAgent(db, c.get('project'), { idOrName });
      await db.transaction().execute(async (trx) => {
        if ((await lockAgent(trx, agent)) === undefined) throw agentNotFound(idOrName);
        const outcome = await setLabel(trx, agent.id, { name, label });
        if (outcome.kind === 'missing') throw versionNotFound(agent.name, outcome.versions, label);
      });
      return c.json(presentAgent(await findOwnAgent(db, c.get('project'), { idOrName: agent.id })), 200);
    })
    .openapi(remove, async (c) => {
      refuseKeyWithAgents(c, context);
      const { id: idOrName, label: name } = c.req.valid('param');
      const agent = await findOwnAgent(db, c.get('project'), { idOrName });
      await db.transaction().execute(async (trx) => {
        if ((await lockAgent(trx, agent)) === undefined) throw agentNotFound(idOrName);
        if (!(await removeLabel(trx, agent.id, name))) throw labelNotFound(name);
      });
      return c.body(null, 204);
    });
}

function readLabel({ version, versions }: LabelRequest): AgentLabel {
  if (version && versions) {
    const message = '`version` and `versions` are both given. Leave one out.';
    throw new RequestRefused(400, 'mutually_exclusive_parameters', message, 'versions');
  }
  if (version) return { version };
  if (versions) return { versions };
  throw new RequestRefused(
    400,
    'missing_field',
    '`version` is missing. Give `version`, or `versions` with weights.',
    'version',
  );
}

function versionNotFound(name: string, [version]: number[], label: AgentLabel): RequestRefused {
  const message = `The agent ${name} has no version ${version}. Use a version of GET /v1/agents/${name}/versions.`;
  return new RequestRefused(404, 'agent_not_found', message, 'version' in label ? 'version' : `versions.${version}`);
}

function labelNotFound(name: string): RequestRefused {
  const message = `The agent has no label ${quote(name)}. Use a label of GET /v1/agents/:id.`;
  return new RequestRefused(404, 'agent_label_not_found', message, 'label');
}
