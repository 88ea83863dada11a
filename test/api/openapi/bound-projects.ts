import { visitor } from './visitor.ts';

/** A project that may not use any model, and a project without requests that change data. */
export const boundProjects = {
  PAWL_PROJECTS: JSON.stringify({
    beta: { keys: ['key-of-beta'], allowed_models: [] },
    gamma: { keys: ['key-of-gamma'], requests_per_minute: 0 },
  }),
};

/** Sends forbidden requests for each bound project, and returns the codes of the refusals. */
export async function askAsBound(url: string): Promise<string[]> {
  const visitors = ['beta', 'gamma'].map((project) => visitor(url, `key-of-${project}`));
  const body = { model: 'openai/test', input: 'Hi' };
  for (const { ask } of visitors)
    for (const path of ['/v1/turns', '/v1/conversations', '/v1/responses']) await ask('POST', path, { body });
  return visitors.flatMap(({ codes }) => [...codes]);
}
