import type { AgentOfTurn } from '#core/turn/agents/agent-of-turn.ts';
import { nameVersion } from '#core/turn/agents/agent-reference.ts';
import { mapFields } from '#core/turn/config/config-fields.ts';
import type { ForkRequest } from '#core/turn/forks/fork-request.ts';
import type { GivenOutputSchema, OutputSchema } from '#core/turn/request/output-schema.ts';
import type { GivenTool, TurnTool } from '#core/turn/request/tool.ts';
import type { StandingConfig, TurnConfig } from '#core/turn/request/turn.ts';
import { type Subscription, type Webhook, WebhookEvent } from '#core/turn/request/webhook.ts';
import { type MergedConfig, mergeLayers, refuseDeleted } from '../../../start/agents/agent-layers.ts';
import { overridesAgent } from '../../../start/agents/allowed-agents.ts';
import { withAgent } from '../../../start/agents/resolve-layers.ts';
import { mergeConfig, resolveConfig } from '../../../start/resolve-config.ts';
import type { ApiContext } from '../../context.ts';

/** Returns the configuration of a fork or a rerun. Omitted fields are the turn's own. */
type Overrides = Omit<ForkRequest, 'after_round' | 'input' | 'metadata' | 'priority'>;

/** The configuration of the first turn of a fork, and the configuration that later turns inherit. */
export type ForkConfig = { config: TurnConfig; standing: StandingConfig };

/** `conversationId` is the id of the fork's conversation. */
type ForkContext = ApiContext & { project: string; input: unknown; conversationId: string } & Restriction;
/** The names of the only agents that the fork may use. */
type Restriction = { allowedAgents: readonly string[] | null };

/**
 * Returns the configuration of a turn with the fields of a request, over the fields of its agent. Tools that stay are
 * the tools of the turn. A later turn of the fork inherits the version of the agent.
 */
export async function configOfFork(origin: TurnConfig, given: Overrides, context: ForkContext): Promise<ForkConfig> {
  if (context.allowedAgents) return configOfAgent(origin, given, context);
  const merged = await mergeOverrides(origin, given, context);
  const overrides = merged.config;
  const tools = origin.tools.map(asOwnTool);
  const standing = mergeConfig(
    { ...standingOf(origin), tools: [...tools.map(asGiven), ...(origin.hosted_tools ?? [])] },
    overrides,
  );
  const known = overrides.tools === undefined ? { tools } : undefined;
  const config = await resolveConfig(withFreeMode(standing, overrides), context, known);
  const { variables } = merged;
  const agent = markChanged(merged.agent, given);
  return {
    config: withAgent({ ...ofResponse(origin, overrides), ...config }, { agent, variables }),
    standing: agent ? { ...standing, agent: nameVersion(agent) } : standing,
  };
}

/**
 * Returns the configuration of a fork that may only use some agents: the configuration of the agent that the request
 * names, or of the turn's version with the limits and the webhook of the turn.
 */
async function configOfAgent(origin: TurnConfig, given: Overrides, context: ForkContext): Promise<ForkConfig> {
  const own = given.agent === undefined ? mergeConfig(keptByAgent(origin), given) : given;
  const standing = origin.variables ? { variables: origin.variables } : {};
  const merged = await mergeLayers({ own, standing }, context);
  const config = withAgent(await resolveConfig(merged.config, context), merged);
  const version = config.agent && { agent: nameVersion(config.agent) };
  return { config, standing: { ...mergeConfig(standing, own), ...version } };
}

function keptByAgent({ agent, limits, webhook }: TurnConfig): StandingConfig {
  if (!agent) return {};
  return { agent: nameVersion({ ...agent, name: agent.id }), limits, webhook: webhook && asWebhook(webhook) };
}

/**
 * Merges the fields of a request over its agent's. Without a new agent, the turn keeps its agent. Its variables stay
 * while its instructions stay.
 */
async function mergeOverrides(origin: TurnConfig, given: Overrides, context: ForkContext): Promise<MergedConfig> {
  const { agent, variables = {} } = origin;
  const own = refillsAgent(origin, given) ? { ...given, agent: idVersion(agent) } : given;
  // The values of the turn may fill the instructions of another agent.
  const merged = await mergeLayers({ own, standing: { variables } }, context);
  const kept = merged.config.instructions === undefined ? origin.variables : merged.variables;
  if (own.agent !== undefined) return { ...merged, variables: kept };
  if (agent) await refuseDeleted(agent, context);
  return { config: merged.config, agent, variables: kept };
}

/** Marks the agent of a fork that changes its configuration. A named agent gets fields of the original turn. */
function markChanged(agent: AgentOfTurn | undefined, given: Overrides): AgentOfTurn | undefined {
  const isChanged = given.agent !== undefined || overridesAgent(given, {});
  return agent && isChanged ? { ...agent, overridden: true } : agent;
}

/** Returns whether new variables alone fill the instructions of the turn's agent again. */
function refillsAgent({ agent }: TurnConfig, given: Overrides): boolean {
  const { agent: named, instructions, variables } = given;
  return Boolean(agent && variables) && named === undefined && instructions === undefined;
}

function idVersion(agent: AgentOfTurn | undefined): string | undefined {
  return agent && nameVersion({ ...agent, name: agent.id });
}

/** Returns a turn's own configuration in the form of a request. */
function standingOf(config: TurnConfig): StandingConfig {
  const { output_schema, webhook } = config;
  return {
    // The schemas of the list have checked the values.
    ...(mapFields((_, name) => config[name]) as Omit<Partial<TurnConfig>, 'agent'> as StandingConfig),
    output_schema: output_schema && schemaOf(output_schema),
    webhook: webhook && asWebhook(webhook),
  };
}

/** No request sets a mode for each model, so the modes of models that differ are chosen again. */
function schemaOf({ modes, ...output }: OutputSchema): StandingConfig['output_schema'] {
  const schema = output.schema as GivenOutputSchema['schema'];
  return { ...output, schema, mode: modes ? null : output.mode };
}

/** A response's webhook may name events that a turn does not have. */
function asWebhook({ url, events, include }: Subscription): Webhook | null {
  const ofTurn = events.flatMap((event) => WebhookEvent.safeParse(event).data ?? []);
  return ofTurn.length === 0 ? null : { url, events: ofTurn, include };
}

/** The client answers calls of a response's functions, while the turn waits. */
function asOwnTool({ handOver, ...tool }: TurnTool): TurnTool {
  return handOver ? { ...tool, execution: { kind: 'client' } } : tool;
}

/** Returns the definition of a tool in the form of a request. */
function asGiven({ operator: _, strict: __, remoteName: ___, ...tool }: TurnTool): GivenTool {
  return tool;
}

/** Other models may enforce the schema in another way. */
function withFreeMode(
  config: StandingConfig,
  { model, fallback_models, output_schema: given }: Overrides,
): StandingConfig {
  const { output_schema: own } = config;
  const hasOthers = Boolean(model ?? fallback_models);
  return hasOthers && given === undefined && own ? { ...config, output_schema: { ...own, mode: null } } : config;
}

/** Fields that only responses accept, and that apply to any turn. */
function ofResponse({ text_format, max_total_output_tokens }: TurnConfig, { output_schema }: Overrides) {
  return {
    ...(text_format && !output_schema && { text_format }),
    ...(max_total_output_tokens && { max_total_output_tokens }),
  };
}
