/** The share and the limits of a project in an installation. Null means no limit. */
export type Project = {
  name: string;
  /** Its share of the workers' slots beside projects that have work at the same time. */
  weight: number;
  /** Turns with an enqueued or running step, in all workers together. Other turns wait. */
  maxActiveTurns: number | null;
  maxQueuedTurns: number | null;
  requestsPerMinute: number | null;
  /** Per UTC day. */
  tokensPerDay: number | null;
  /** Models as `provider/model`. A `*` at the end matches all models with that beginning. */
  allowedModels: string[] | null;
  /** The names of the agents that its turns may use. Turns then need an agent, and use it as it is. */
  allowedAgents: string[] | null;
  /** The names of the agents that turns of a key may use, by the id of the key. Other keys have no own list. */
  agentsOfKeys: ReadonlyMap<string, string[]>;
  secrets: string[] | null;
  /** Days for which a turn is kept after its end. */
  retentionDays: number | null;
};

export function plainProject(name: string): Project {
  const bounds = { maxActiveTurns: null, maxQueuedTurns: null, requestsPerMinute: null, tokensPerDay: null };
  const lists = { allowedModels: null, allowedAgents: null, agentsOfKeys: new Map(), secrets: null };
  return { name, weight: 1, ...bounds, ...lists, retentionDays: null };
}

/** Returns whether a project may ask a model, as `provider/model`. */
export function mayAsk({ allowedModels }: Pick<Project, 'allowedModels'>, model: string): boolean {
  return allowedModels?.some((name) => isMeant(name, model)) ?? true;
}

/** Returns whether a project may ask any model of a provider. */
export function mayAskProvider({ allowedModels }: Pick<Project, 'allowedModels'>, provider: string): boolean {
  const own = `${provider}/`;
  const reaches = (name: string) => name.startsWith(own) || (name.endsWith('*') && own.startsWith(name.slice(0, -1)));
  return allowedModels?.some(reaches) ?? true;
}

/**
 * Returns the names of the agents that a request with a key may use: those in the list of the project and in the list
 * of the key. Null without any list.
 */
export function allowedAgentsOf(
  { allowedAgents, agentsOfKeys }: Pick<Project, 'allowedAgents' | 'agentsOfKeys'>,
  keyId: string | null,
): string[] | null {
  const ofKey = keyId === null ? undefined : agentsOfKeys.get(keyId);
  if (!ofKey) return allowedAgents;
  return allowedAgents ? ofKey.filter((name) => allowedAgents.includes(name)) : ofKey;
}

function isMeant(name: string, model: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name;
}
