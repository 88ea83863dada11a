import type { StandingConfig } from '#core/turn/request/turn.ts';
import { agentNotAllowed, overrideNotAllowed, refuseHigherLimits } from '../../../../start/agents/allowed-agents.ts';
import { checkItems } from '../../../../start/agents/check-items.ts';
import { namesAgent, type Prompted } from './find-prompted.ts';

/** The fields of a create request of a response or a chat completion that may only use some agents. */
const MAY_SET = new Set([
  ...['prompt', 'model', 'input', 'messages', 'conversation', 'previous_response_id', 'store', 'background'],
  ...['include', 'stream', 'stream_options', 'user', 'safety_identifier', 'metadata', 'pawl'],
]);

const MAY_SET_IN_PAWL = new Set([...['conversation_key', 'previous_completion_id', 'webhook', 'priority', 'limits']]);

type Body = {
  model?: string | null | undefined;
  input?: unknown;
  messages?: unknown;
  pawl?: { limits?: StandingConfig['limits'] } | null | undefined;
};

/**
 * The agent of a request, if any, and the names of the allowed agents. `model` is the full name of the model of the
 * request, or of its agent.
 */
export type AllowedRequest = { prompted: Prompted | null; allowed: readonly string[]; model: string };

/**
 * Refuses a create request that does not use an allowed agent, or that changes its configuration. Only users' messages
 * and answers to calls may be in its input.
 */
export function checkAllowedBody(body: Body, { prompted, allowed, model }: AllowedRequest): void {
  const { agent, config } = prompted ?? {};
  if (!agent || !config || !allowed.includes(agent.name))
    throw agentNotAllowed(allowed, body.model ? 'model' : 'prompt');
  refuseOthers(body, MAY_SET);
  const isOther = body.model !== config.model && model !== config.model && !namesAgent(body.model);
  if (body.model && isOther) throw overrideNotAllowed('model');
  refuseOthers(body.pawl ?? {}, MAY_SET_IN_PAWL, 'pawl.');
  refuseHigherLimits(body.pawl?.limits, config, 'pawl.limits');
  checkItems(body.input, 'input');
  checkItems(body.messages, 'messages');
}

/** Returns whether a create request changes the configuration of its agent, apart from its limits. */
export function changesAgent(body: Body): boolean {
  const { pawl } = body;
  return otherField(body, MAY_SET) !== undefined || otherField(pawl ?? {}, MAY_SET_IN_PAWL) !== undefined;
}

function refuseOthers(given: object, names: ReadonlySet<string>, path = ''): void {
  const other = otherField(given, names);
  if (other !== undefined) throw overrideNotAllowed(`${path}${other}`);
}

function otherField(given: object, names: ReadonlySet<string>): string | undefined {
  return Object.entries(given).find(([name, value]) => value !== undefined && !names.has(name))?.[0];
}
