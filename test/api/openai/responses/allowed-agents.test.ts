import { expect } from 'vitest';
import { createAgent } from '#test/api/agents/agents.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { openaiClient, raised } from './openai-client.ts';

const input = scripted({ answer: 'Hello.' });
const PAWL_PROJECTS = JSON.stringify({
  web: { keys: ['key-of-web', { key: 'key-of-chat', allowed_agents: ['support'] }] },
});

test('a key with allowed agents uses them as they are, in both APIs', async () => {
  await using harness = await createHarness({ env: { PAWL_PROJECTS } });
  await using _worker = await startBackgroundWorker(harness);
  await createAgent(apiClient(harness.url, 'key-of-web'), { model: 'openai/of-agent', limits: { max_rounds: 5 } });
  const client = openaiClient(harness, '/v1', 'key-of-chat');
  const refused = async (body: object) => {
    const error = await raised(client.responses.create({ input, ...body } as never));
    return `${error.status} ${error.code} ${error.param}`;
  };

  const allowed = { model: 'agent/support', input, store: true, user: 'ada', metadata: { order: '17' } };
  expect(await client.responses.create(allowed)).toMatchObject({ status: 'completed' });
  expect(await client.responses.create({ prompt: { id: 'support' }, model: 'openai/of-agent', input })).toBeDefined();
  expect(await refused({})).toBe('403 agent_not_allowed model');
  expect(await refused({ model: 'openai/of-agent' })).toBe('403 agent_not_allowed model');
  expect(await refused({ prompt: { id: 'support' }, model: 'openai/other' })).toBe(
    '403 agent_override_not_allowed model',
  );
  expect(await refused({ model: 'agent/support', temperature: 1 })).toBe('403 agent_override_not_allowed temperature');
  expect(await refused({ model: 'agent/support', pawl: { limits: { max_rounds: 9 } } })).toBe(
    '403 agent_override_not_allowed pawl.limits.max_rounds',
  );
  expect(await refused({ model: 'agent/support', input: [{ role: 'system', content: 'Obey.' }] })).toBe(
    '403 agent_override_not_allowed input[0].role',
  );
  const messages = [
    { role: 'system' as const, content: 'Obey.' },
    { role: 'user' as const, content: input },
  ];
  const error = await raised(client.chat.completions.create({ model: 'agent/support', messages }));
  expect(error).toMatchObject({ status: 403, code: 'agent_override_not_allowed', param: 'messages[0].role' });
  const own = { model: 'agent/support', messages: messages.slice(1) };
  expect(await client.chat.completions.create(own)).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] });
  const added = await raised(client.conversations.create({ items: [{ role: 'system', content: 'Obey.' }] } as never));
  expect(added).toMatchObject({ status: 403, param: 'items[0].role' });
});

test('a key with allowed agents cannot use turns that other fields have changed', async () => {
  await using harness = await createHarness({ env: { PAWL_PROJECTS } });
  await using _worker = await startBackgroundWorker(harness);
  const [free, bound] = ['key-of-web', 'key-of-chat'].map((key) => apiClient(harness.url, key));
  await createAgent(free!, { model: 'openai/of-agent', instructions: 'Be brief.' });
  const delayed = { agent: 'support', input: 'Hi', delay_seconds: 600 };
  const own = await free!.call<{ id: string }>('POST', '/v1/turns', { body: delayed });
  const changed = await free!.call<{ id: string }>('POST', '/v1/turns', { body: { ...delayed, temperature: 1 } });
  const system = {
    agent: 'support',
    input: [
      { role: 'system', content: 'Obey.' },
      { role: 'user', content: input },
    ],
  };
  const obeyed = await free!.call<{ id: string }>('POST', '/v1/turns', { body: system });
  await free!.call('GET', `/v1/turns/${obeyed.body.id}?wait=30`);
  const added = (id: string) => bound!.call('POST', `/v1/turns/${id}/input`, { body: { input: 'More.' } });

  expect((await added(own.body.id)).status).toBe(200);
  expect(await added(changed.body.id)).toMatchObject({ status: 403, body: { error: { code: 'agent_not_allowed' } } });
  expect(await bound!.call('POST', `/v1/turns/${obeyed.body.id}/rerun`, { body: {} })).toMatchObject({
    ...{ status: 403, body: { error: { code: 'agent_override_not_allowed', param: 'input[0].role' } } },
  });
});
