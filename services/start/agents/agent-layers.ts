import { type FoundAgent, findAgents } from '#core/checkpoint/agents/find-agent.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { AgentConfig } from '#core/turn/agents/agent.ts';
import type { AgentOfTurn } from '#core/turn/agents/agent-of-turn.ts';
import { type AgentReference, readAgentReference } from '#core/turn/agents/agent-reference.ts';
import { chooseVersion } from '#core/turn/agents/choose-version.ts';
import type { Variables } from '#core/turn/agents/fill-variables.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import { mergeConfig } from '../resolve-config.ts';
import { checkAllowed, checkNamed, overridesAgent } from './allowed-agents.ts';
import { fillInstructions, type Layer, refuseUnknown } from './fill-instructions.ts';

/** A version of an agent that a reference names. */
export type ChosenAgent = AgentOfTurn & { config: AgentConfig };

/** `allowedAgents` are the names of the only agents that may be used, as they are. */
type Place = { db: Db; project: string; conversationId: string; allowedAgents?: readonly string[] | null };

/** The fields of a request, over the fields of its conversation. */
export type Layers = { own: StandingConfig; standing?: StandingConfig };

/**
 * The merged fields, with the agent that applies, and with the variables that were filled into the instructions. The
 * fields `agent` and `variables` of the request are left out.
 */
export type MergedConfig = {
  config: StandingConfig;
  agent?: AgentOfTurn | undefined;
  variables?: Variables | undefined;
};

/**
 * Merges the configuration of a turn. The order of precedence is: the turn, the agent of the turn, the conversation,
 * the agent of the conversation. `agent: null` in a turn means no agent. A request that names no agent needs no read.
 */
export async function mergeLayers(layers: Layers, place: Place): Promise<MergedConfig> {
  const { ofTurn, ofConversation } = await chooseLayers(layers, place);
  const agent = layers.own.agent === undefined ? ofConversation : ofTurn;
  const { own, standing = {} } = limitLayers(layers, agent, place);
  const inherited = layerOf(standing, ofConversation);
  const given = layerOf(own, ofTurn);
  const filled = fillInstructions({ inherited, given });
  const changes = (fields: StandingConfig) => Boolean(agent && overridesAgent(fields, agent.config));
  const isOverridden = changes(own) || changes(standing) || Boolean(ofTurn && ofConversation);
  const { agent: _, variables: __, ...config } = mergeConfig(inherited.merged, given.merged);
  return {
    config: { ...config, ...(filled.instructions !== undefined && { instructions: filled.instructions }) },
    ...(agent && { agent: { ...versionOfTurn(agent), ...(isOverridden && { overridden: true as const }) } }),
    ...(filled.variables && { variables: filled.variables }),
  };
}

function versionOfTurn({ id, name, version }: AgentOfTurn): AgentOfTurn {
  return { id, name, version };
}

type ChosenLayers = { ofTurn?: ChosenAgent | undefined; ofConversation?: ChosenAgent | undefined };

/**
 * Chooses both agents. A turn that names an agent also runs if the agent of its conversation is deleted. If only some
 * agents are allowed, it gets no fields of the other agent.
 */
async function chooseLayers({ own, standing = {} }: Layers, place: Place): Promise<ChosenLayers> {
  const { allowedAgents } = place;
  if (allowedAgents) checkNamed(own.agent === undefined ? standing.agent : own.agent, allowedAgents);
  const ofTurn = own.agent ? [{ reference: own.agent, param: 'agent' }] : [];
  const below = own.agent === undefined || (own.agent !== null && !allowedAgents) ? standing.agent : null;
  const ofConversation = below ? [{ reference: below, param: 'agent', isOptional: ofTurn.length > 0 }] : [];
  const named = [...ofTurn, ...ofConversation];
  if (named.length === 0) return {};
  const chosen = await chooseAgents(named, place);
  return { ofTurn: chosen.slice(0, ofTurn.length)[0], ofConversation: chosen.slice(ofTurn.length)[0] };
}

/**
 * Merges the fields of a new or changed conversation. Its turns may still give variables. `given` are the fields of the
 * request: unknown variables that the conversation had before are not refused.
 */
export async function mergeStanding(own: StandingConfig, place: Place, given = own): Promise<StandingConfig> {
  const agent = await chooseAgent(own.agent, place);
  const { merged } = layerOf(limitLayers({ own }, agent, place).own, agent);
  if (agent) refuseUnknown(merged.instructions, given.variables ?? {});
  const { agent: _, variables: __, ...config } = merged;
  return config;
}

async function chooseAgent(reference: string | null | undefined, place: Place): Promise<ChosenAgent | undefined> {
  if (place.allowedAgents) checkNamed(reference, place.allowedAgents);
  return reference ? (await chooseAgents([{ reference, param: 'agent' }], place))[0] : undefined;
}

/** Checks the layers if only some agents are allowed. Their limits then add to the limits of the agent. */
function limitLayers(layers: Layers, agent: ChosenAgent | undefined, { allowedAgents }: Place): Layers {
  return allowedAgents ? checkAllowed(layers, agent, allowedAgents) : layers;
}

function layerOf(own: StandingConfig, agent: ChosenAgent | undefined): Layer {
  const isOfAgent = own.instructions === undefined && Boolean(agent?.config.instructions);
  return { merged: agent ? mergeConfig(agent.config, own) : own, variables: own.variables ?? null, isOfAgent };
}

/** A reference to an agent, and the field that has it. An optional agent may be missing. */
type Named = { reference: string; param: string; isOptional?: boolean };

/**
 * Chooses the versions that references name, in one statement. An unknown agent, version or label is a 404, or
 * undefined if it is optional.
 */
async function chooseAgents(
  named: Named[],
  { db, project, conversationId }: Place,
): Promise<(ChosenAgent | undefined)[]> {
  const references = named.map(
    ({ reference, param }) => readAgentReference(reference) ?? refuseAgent(reference, param),
  );
  const found = await findAgents(db, project, references);
  return references.map((reference, index) => {
    const { param = 'agent', reference: text = '', isOptional = false } = named[index] ?? {};
    const asked = { reference, text, param, conversationId };
    return isOptional ? chosenOf(found[index], asked) : versionOf(found[index], asked);
  });
}

/** Refuses an agent that was deleted since a turn ran with it. */
export async function refuseDeleted({ id, name }: AgentOfTurn, { db, project }: Place): Promise<void> {
  const [found] = await findAgents(db, project, [{ name: id, version: null, label: null }]);
  if (!found) refuseAgent(name, 'agent');
}

type Asked = { reference: AgentReference; text: string; param: string; conversationId: string };

function versionOf(agent: FoundAgent | undefined, asked: Asked): ChosenAgent {
  if (!agent) return refuseAgent(asked.reference.name, asked.param);
  return chosenOf(agent, asked) ?? refuseVersion(asked.text, asked.param);
}

function chosenOf(agent: FoundAgent | undefined, { reference, conversationId }: Asked): ChosenAgent | undefined {
  if (!agent) return undefined;
  const version = numberOf(agent, reference, conversationId);
  const chosen = agent.versions.find((known) => known.version === version);
  return chosen && { id: agent.id, name: agent.name, version: chosen.version, config: chosen.config };
}

function numberOf({ version, label }: FoundAgent, reference: AgentReference, conversationId: string): number | null {
  if (reference.version !== null) return reference.version;
  if (reference.label === null) return version;
  return label && chooseVersion(label, conversationId);
}

function refuseAgent(name: string, param: string): never {
  const message = `Agent ${quote(name)} not found. Use an agent of GET /v1/agents, and check the project of the API key.`;
  throw new RequestRefused(404, 'agent_not_found', message, param);
}

function refuseVersion(text: string, param: string): never {
  const message = `${quote(text)} not found: the agent has no such version or label. Use one of GET /v1/agents/:id/versions.`;
  throw new RequestRefused(404, 'agent_not_found', message, param);
}
