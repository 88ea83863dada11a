import { visitor } from './visitor.ts';

/**
 * A project that may not use any model, a project without requests that change data, and a project with a key that may
 * only use one agent.
 */
export const boundProjects = {
  PAWL_PROJECTS: JSON.stringify({
    beta: { keys: ['key-of-beta'], allowed_models: [] },
    gamma: { keys: ['key-of-gamma'], requests_per_minute: 0 },
    delta: { keys: ['key-of-delta', { key: 'key-of-support', allowed_agents: ['support'] }] },
  }),
};

/** Sends forbidden requests for each bound project, and returns the codes of the refusals. */
export async function askAsBound(url: string): Promise<string[]> {
  const visitors = ['beta', 'gamma'].map((project) => visitor(url, `key-of-${project}`));
  const body = { model: 'openai/test', input: 'Hi' };
  for (const { ask } of visitors)
    for (const path of ['/v1/turns', '/v1/conversations', '/v1/responses']) await ask('POST', path, { body });
  return [...visitors.flatMap(({ codes }) => [...codes]), ...(await askForAgents(url))];
}

async function askForAgents(url: string): Promise<Iterable<string>> {
  const [owner, bound] = [visitor(url, 'key-of-delta'), visitor(url, 'key-of-support')];
  const agent = { name: 'support', model: 'openai/test' };
  await owner.ask('POST', '/v1/agents', { body: agent });
  await bound.ask('POST', '/v1/agents', { body: agent });
  const body = { agent: 'support', input: 'Hi', instructions: 'You are brief.' };
  for (const path of ['/v1/turns', '/v1/conversations']) await bound.ask('POST', path, { body });
  return [...owner.codes, ...bound.codes];
}
