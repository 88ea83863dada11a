import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Providers } from '#core/llm/providers.ts';
import type { AgentConfig } from '#core/turn/agents/agent.ts';
import { agentNotAllowed } from '../../../../start/agents/allowed-agents.ts';
import { type ResponseSettings, resolveModel } from '../request/response-settings.ts';
import type { ResponseBody } from '../response-body.ts';
import { changesAgent, checkAllowedBody } from './allowed-body.ts';
import { findPrompted, namesAgent, type Prompted } from './find-prompted.ts';
import { modelFields, withAgentFields } from './with-agent-fields.ts';

/** A create request with its model. */
export type Named = ResponseBody & { model: string };

/** A create request with the fields of its agent, and whether it has tools of its own. */
export type ReadAgent = {
  prompted: Prompted | null;
  model: string;
  body: Named;
  agent: (AgentConfig & { model: string }) | null;
  hasTools: boolean;
};

type Rules = {
  db: Db;
  project: string;
  providers: Providers;
  responses: ResponseSettings;
  allowedAgents?: readonly string[] | null | undefined;
  isCompaction?: boolean | undefined;
};

/** A chat completion as its client sent it, and whether it names its own tools. */
type Chat = { sent: object; hasTools: boolean };

/** Finds the agent of a create request, if any, and adds its fields to the request. */
export async function readAgent(sent: ResponseBody, rules: Rules, chat: Chat | undefined): Promise<ReadAgent> {
  const prompted = await findPrompted(sent, rules);
  const { allowedAgents: allowed } = rules;
  if (allowed && !prompted) throw agentNotAllowed(allowed, 'model');
  const model = modelOf(sent, prompted, rules);
  if (allowed) checkAllowedBody(chat?.sent ?? sent, { prompted, allowed, model });
  const hasTools = chat?.hasTools ?? Boolean(sent.tools);
  if (!prompted) return { prompted, model, body: { ...sent, model }, agent: null, hasTools };
  const used = rules.isCompaction ? modelFields(prompted.config, sent.instructions) : prompted.config;
  const agent = { ...used, model };
  return { prompted, model, body: withAgentFields(sent, agent, hasTools), agent, hasTools };
}

/** Marks the agent of a request that changes the agent's configuration, also by another model. */
export function markOverridden({ agent, variables, config }: Prompted, sent: { model?: string | null | undefined }) {
  const isOtherModel = Boolean(sent.model) && !namesAgent(sent.model) && sent.model !== config.model;
  const isOverridden = isOtherModel || changesAgent(sent);
  return { variables, agent: agent && isOverridden ? { ...agent, overridden: true as const } : agent };
}

/** Returns the full name of the model of the request, or of its agent. */
function modelOf({ model }: ResponseBody, prompted: Prompted | null, rules: Rules): string {
  const given = namesAgent(model) ? null : model;
  if (given) return resolveModel(given, rules);
  // An alias applies to names in requests only.
  if (prompted?.config.model) return prompted.config.model;
  const message = prompted
    ? '`model` is missing, because the agent has none. Add `model` to the request or to the agent.'
    : '`model` is missing. Add it, or name an agent in `prompt`.';
  throw new RequestRefused(400, 'missing_required_parameter', message, 'model');
}
