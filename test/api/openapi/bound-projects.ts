import { visitor } from './visitor.ts';

/** Projects of which one may ask no model, and one may ask nothing that changes something. */
export const boundProjects = {
  PAWL_PROJECTS: JSON.stringify({
    beta: { keys: ['key-of-beta'], allowed_models: [] },
    gamma: { keys: ['key-of-gamma'], requests_per_minute: 0 },
  }),
};

/** Asks as each of them for what it may not; answers the codes that it is refused with. */
export async function askAsBound(url: string): Promise<string[]> {
  const visitors = ['beta', 'gamma'].map((project) => visitor(url, `key-of-${project}`));
  const body = { model: 'openai/test', input: 'Hi' };
  for (const { ask } of visitors)
    for (const path of ['/v1/turns', '/v1/conversations', '/v1/responses']) await ask('POST', path, { body });
  return visitors.flatMap(({ codes }) => [...codes]);
}
