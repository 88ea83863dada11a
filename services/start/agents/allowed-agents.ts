import { isDeepStrictEqual } from 'node:util';
import { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import type { AgentConfig } from '#core/turn/agents/agent.ts';
import type { AgentOfTurn } from '#core/turn/agents/agent-of-turn.ts';
import { readAgentReference } from '#core/turn/agents/agent-reference.ts';
import { fillLimits, limits } from '#core/turn/limits.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';

/** The fields that a request may set if only some agents are allowed. Limits may only be below the agent's. */
const MAY_SET = new Set([
  ...['agent', 'input', 'variables', 'metadata', 'webhook', 'priority', 'limits', 'on_active_turn', 'debounce_ms'],
  ...['start_at', 'delay_seconds', 'expires_in_seconds'],
]);

/** The fields of a request, and the fields of its conversation. */
type Layers = { own: StandingConfig; standing?: StandingConfig };

/** Refuses a name that is not in the list, and a request without an agent. An id is checked when its agent is known. */
export function checkNamed(reference: string | null | undefined, allowed: readonly string[]): void {
  const name = readAgentReference(reference ?? '')?.name;
  if (name === undefined || !(allowed.includes(name) || isId('agent', name))) throw agentNotAllowed(allowed);
}

/**
 * Refuses an agent that is not in the list, and each field that would change its configuration. Returns the layers
 * with the limits of the agent, so that a limit that they omit stays the agent's.
 */
export function checkAllowed<Given extends Layers>(
  layers: Given,
  agent: { name: string; config: AgentConfig } | undefined,
  allowed: readonly string[],
): Given {
  if (!agent || !allowed.includes(agent.name)) throw agentNotAllowed(allowed);
  const { own, standing } = layers;
  refuseOverrides(own);
  refuseHigherLimits(own.limits, agent.config);
  const inherited = standing && overriddenField(standing);
  if (inherited) throw overrideNotAllowed(inherited, OF_CONVERSATION);
  refuseHigherLimits(standing?.limits, agent.config);
  return {
    ...layers,
    own: withLimits(own, agent.config),
    ...(standing && { standing: withLimits(standing, agent.config) }),
  };
}

/** Refuses the first given field that changes the configuration of an agent. */
export function refuseOverrides(given: object): void {
  const field = overriddenField(given);
  if (field) throw overrideNotAllowed(field);
}

/** Refuses limits above the agent's. `field` is the path of the limits in the request. */
export function refuseHigherLimits(
  given: StandingConfig['limits'],
  agent: Pick<AgentConfig, 'limits'>,
  field = 'limits',
): void {
  const name = higherLimit(given, agent);
  if (!name) return;
  const param = given === null ? field : `${field}.${name}`;
  const most = fillLimits(agent.limits)[name];
  const message = `\`${field}.${name}\` must not be above the limit of the agent, ${most}. Lower it, or leave it out.`;
  throw new RequestRefused(403, 'agent_override_not_allowed', message, param);
}

/** Returns the first given field that changes the configuration of an agent. `null` counts as given. */
function overriddenField(given: object): string | undefined {
  return Object.entries(given).find(([name, value]) => value !== undefined && !MAY_SET.has(name))?.[0];
}

/** Returns whether fields of a request change the configuration of an agent, apart from its limits. */
export function overridesAgent(given: StandingConfig, agent: AgentConfig): boolean {
  const known = Object.entries(agent);
  const isSame = ([name, value]: [string, unknown]) =>
    known.some(([field, own]) => field === name && isDeepStrictEqual(own, value));
  return overriddenField(Object.fromEntries(Object.entries(given).filter((field) => !isSame(field)))) !== undefined;
}

/** Refuses a turn of an agent that is not in the list, or that other fields have changed. */
export function checkRunsAllowed(agent: AgentOfTurn | undefined, allowed: readonly string[]): void {
  if (!agent || agent.overridden || !allowed.includes(agent.name)) throw agentNotAllowed(allowed, null);
}

type LimitName = (typeof limits)[number]['name'];

/** Returns the first limit that is above the agent's, or undefined. Null means the default. */
function higherLimit(given: StandingConfig['limits'], agent: Pick<AgentConfig, 'limits'>): LimitName | undefined {
  if (given === undefined) return undefined;
  const [asked, most] = [fillLimits(given), fillLimits(agent.limits)];
  const isAbove = (name: LimitName) =>
    (asked[name] ?? Number.POSITIVE_INFINITY) > (most[name] ?? Number.POSITIVE_INFINITY);
  const named = limits.map(({ name }) => name).filter((name) => given === null || given[name] !== undefined);
  return named.find(isAbove);
}

/** Adds the limits of an agent that the given limits omit. */
function withLimits<Given extends Pick<StandingConfig, 'limits'>>(
  given: Given,
  agent: Pick<AgentConfig, 'limits'>,
): Given {
  return given.limits ? { ...given, limits: { ...agent.limits, ...given.limits } } : given;
}

const ASK = 'Leave it out, or ask the operator.';
const OF_CONVERSATION = 'The conversation has this field. Use another conversation, or ask the operator.';

/** Returns the refusal of a field that changes the configuration of an agent. */
export function overrideNotAllowed(field: string, action = ASK): RequestRefused {
  const message = `This request may not set \`${field}\`, because the key or the project only allows agents as they are. ${action}`;
  return new RequestRefused(403, 'agent_override_not_allowed', message, field);
}

/** What to do, by the field of a refusal. The empty field is a turn. */
const ACTIONS: Record<string, string> = {
  '': 'Choose a turn that runs an allowed agent without changes',
  model: 'Name an allowed agent in `model`, as in agent/support',
  prompt: 'Name an allowed agent in `prompt`',
};

/** Returns the refusal of a request that does not use an allowed agent. */
export function agentNotAllowed(allowed: readonly string[], param: string | null = 'agent'): RequestRefused {
  const names = allowed.length > 0 ? allowed.join(', ') : 'none';
  const action = ACTIONS[param ?? ''] ?? 'Set `agent` to an allowed agent';
  const message = `This request must use an allowed agent: ${names}. ${action}, or ask the operator.`;
  return new RequestRefused(403, 'agent_not_allowed', message, param);
}
