/** What a project may use of an installation (contract-more §5); what is null has no bound. */
export type Project = {
  name: string;
  /** Its share of the workers' places beside projects that have work at the same time. */
  weight: number;
  /** Turns with a step in the queue or at work, in all workers together; the others wait. */
  maxActiveTurns: number | null;
  maxQueuedTurns: number | null;
  requestsPerMinute: number | null;
  /** Of a UTC day. */
  tokensPerDay: number | null;
  /** Models as `provider/model`; a `*` at the end matches all that begins alike. */
  allowedModels: string[] | null;
  secrets: string[] | null;
  /** Days after its end for which a turn is kept. */
  retentionDays: number | null;
};

/** A project of which nothing is configured. */
export function plainProject(name: string): Project {
  const bounds = { maxActiveTurns: null, maxQueuedTurns: null, requestsPerMinute: null, tokensPerDay: null };
  return { name, weight: 1, ...bounds, allowedModels: null, secrets: null, retentionDays: null };
}

/** Whether a project may ask a model, as `provider/model`. */
export function mayAsk({ allowedModels }: Pick<Project, 'allowedModels'>, model: string): boolean {
  return allowedModels?.some((name) => isMeant(name, model)) ?? true;
}

/** Whether a project may ask some model of a provider. */
export function mayAskProvider({ allowedModels }: Pick<Project, 'allowedModels'>, provider: string): boolean {
  const own = `${provider}/`;
  const reaches = (name: string) => name.startsWith(own) || (name.endsWith('*') && own.startsWith(name.slice(0, -1)));
  return allowedModels?.some(reaches) ?? true;
}

function isMeant(name: string, model: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name;
}
