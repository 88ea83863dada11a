import type { Ask } from './visitor.ts';

const model = 'openai/test';

/** Creates, changes, reads, labels and deletes an agent, and uses it in a turn. */
export async function keepAgents(ask: Ask): Promise<void> {
  const creating = { body: { name: 'support', model }, headers: { 'idempotency-key': 'agent' } };
  const { id } = await ask<{ id: string }>('POST', '/v1/agents', creating);
  await ask('POST', '/v1/agents', creating);
  await ask('PATCH', `/v1/agents/${id}`, { body: { instructions: 'You help {{customer}}.' } });
  const label = `/v1/agents/${id}/labels`;
  await ask('PUT', `${label}/production`, { body: { version: 1 } });
  await ask('PUT', `${label}/trial`, { body: { versions: { '1': 90, '2': 10 } } });
  for (const path of ['', `/${id}`, '/support?version=1', `/${id}/versions`]) await ask('GET', `/v1/agents${path}`);
  await ask('POST', '/v1/turns', { body: { agent: 'support@production', input: 'Hi' } });
  await ask('DELETE', `${label}/trial`);
  await ask('DELETE', `/v1/agents/${id}`);
}

/** Sends requests about agents that are refused. */
export async function askForAgentsWrongly(ask: Ask): Promise<void> {
  const body = { name: 'support', model };
  for (const _ of [1, 2]) await ask('POST', '/v1/agents', { body });
  await ask('PATCH', '/v1/agents/support', { body: { seed: 7, version: 3 } });
  await ask('PUT', '/v1/agents/support/labels/production', { body: { version: 1, versions: { '1': 1 } } });
  await ask('DELETE', '/v1/agents/support/labels/production');
  const unknown = '/v1/agents/nothing';
  for (const path of [unknown, `${unknown}/versions`]) await ask('GET', path);
  await ask('PATCH', unknown, { body: { seed: 7 } });
  await ask('PUT', `${unknown}/labels/production`, { body: { version: 1 } });
  for (const path of [unknown, `${unknown}/labels/production`]) await ask('DELETE', path);
  await ask('POST', '/v1/turns', { body: { agent: 'nothing', input: 'Hi' } });
  await ask('GET', '/v1/agents?cursor=x');
}
