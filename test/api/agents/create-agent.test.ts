import { expect } from 'vitest';
import type { AgentResource } from '#core/turn/resource/agent.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { test, testWith } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';
import { createAgent } from './agents.ts';

const model = 'openai/test';
const MS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test('an agent is created with the given fields only, and with version 1', async ({ harness }) => {
  const config = { model, instructions: 'You help {{customer}}.', tools: ['weather_lookup'], temperature: 0.2 };
  const body = { name: 'support', ...config, seed: null, metadata: { team: 'a' } };

  const created = await harness.call<AgentResource>('POST', '/v1/agents', { body });
  const read = await harness.call('GET', '/v1/agents/support');

  expect(created.status).toBe(201);
  expect(created.headers.get('location')).toBe(`/v1/agents/${created.body.id}`);
  expect(created.body).toEqual({
    ...{ id: expect.stringMatching(/^agent_[0-7][0-9a-hjkmnp-tv-z]{25}$/), object: 'agent', name: 'support' },
    ...{ version: 1, labels: {}, config, metadata: { team: 'a' } },
    ...{ created_at: expect.stringMatching(MS_TIME), version_created_at: created.body.created_at },
  });
  expect(read).toMatchObject({ status: 200, body: created.body });
});

test('an agent does not have to name a model', async ({ harness }) => {
  const { config } = await createAgent(harness, { model: null, instructions: 'Be brief.' });

  expect(config).toEqual({ instructions: 'Be brief.' });
});

test('the name of an agent is unique, also if two requests create it at once', async ({ harness }) => {
  const create = () => harness.call('POST', '/v1/agents', { body: { name: 'support', model } });

  const together = await Promise.all([create(), create(), create()]);
  const later = await create();

  expect(together.map(describeRefusal).toSorted()).toEqual([
    '201 accepted',
    '409 agent_exists: name',
    '409 agent_exists: name',
  ]);
  expect(describeRefusal(later)).toBe('409 agent_exists: name');
  expect((await harness.call<{ data: unknown[] }>('GET', '/v1/agents')).body.data).toHaveLength(1);
});

test('the name of an agent with another form is refused', async ({ harness }) => {
  for (const name of ['', 'Support', '7up', '_a', 'a b', 'a@b', 'ä', 'a.b', `a${'b'.repeat(64)}`, 7])
    expect(await refusalOf(harness, '/v1/agents', { name, model })).toBe('400 invalid_value: name');
});

test('an agent is checked like a turn, and a refusal names the field', async ({ harness }) => {
  const refused = (fields: object) => refusalOf(harness, '/v1/agents', { name: 'support', ...fields });
  const webhook = { url: 'http://10.0.0.1/' };

  expect(await refusalOf(harness, '/v1/agents', { model })).toBe('400 missing_field: name');
  expect(await refused({ model: 'nowhere/x' })).toBe('400 provider_not_configured: model');
  expect(await refused({ model, tools: ['weather_lookup', 'nope'] })).toBe('400 unknown_tool: tools[1]');
  expect(await refused({ model, temperature: 'hot' })).toBe('400 invalid_value: temperature');
  expect(await refused({ model, limits: { max_rounds: 0 } })).toBe('400 invalid_value: limits.max_rounds');
  expect(await refused({ model, webhook })).toBe('400 egress_blocked: webhook.url');
  expect(await refused({ model, tool_choice: 'required' })).toBe('400 invalid_value: tool_choice');
  for (const field of ['input', 'agent', 'variables', 'expires_in_seconds', 'on_active_turn', 'version'])
    expect(await refused({ model, [field]: 'x' })).toBe(`400 unknown_field: ${field}`);
  expect((await harness.call<{ data: unknown[] }>('GET', '/v1/agents')).body.data).toEqual([]);
});

test('an agent is created once per idempotency key, also after a change', async ({ harness }) => {
  const create = (body: object, key = 'one') =>
    harness.call<AgentResource>('POST', '/v1/agents', { body, headers: { 'idempotency-key': key } });
  const body = { name: 'support', model };

  const together = await Promise.all([create(body), create(body)]);
  await harness.call('PATCH', '/v1/agents/support', { body: { seed: 7 } });
  const replay = await create(body);
  const other = await create({ ...body, seed: 8 });
  const taken = await create(body, 'two');
  const free = await create({ ...body, name: 'sales' }, 'two');

  const [first] = together;
  expect(together.map(({ status, body: { id } }) => [status, id])).toEqual([
    [201, first?.body.id],
    [201, first?.body.id],
  ]);
  expect([replay.status, replay.body.id, replay.body.version]).toEqual([201, first?.body.id, 1]);
  expect(describeRefusal(other)).toBe('409 idempotency_key_reused: Idempotency-Key');
  expect([describeRefusal(taken), free.status]).toEqual(['409 agent_exists: name', 201]);
});

const projects = { web: { keys: ['web', { key: 'reader', scopes: ['read'] }] }, other: { keys: ['other'] } };

testWith({ env: { PAWL_PROJECTS: JSON.stringify(projects) } })(
  'an agent is visible in its project only, and a read key cannot change it',
  async ({ harness }) => {
    const as = (key: string) => apiClient(harness.url, key);
    const { id } = await createAgent(as('web'));
    const attempts = (key: string) =>
      [
        as(key).call('PATCH', `/v1/agents/${id}`, { body: { seed: 7 } }),
        as(key).call('PUT', `/v1/agents/${id}/labels/production`, { body: { version: 1 } }),
        as(key).call('DELETE', `/v1/agents/${id}`),
      ].map(async (answer) => describeRefusal(await answer));
    const reads = [id, 'support', `${id}?version=1`, `${id}/versions`];

    const found = await Promise.all(reads.map((path) => as('other').call('GET', `/v1/agents/${path}`)));
    const used = await Promise.all(
      ['support', id, `${id}@1`].map((agent) => refusalOf(as('other'), '/v1/turns', { agent, model, input: 'Hi' })),
    );

    expect(found.map(describeRefusal)).toEqual(Array(4).fill('404 agent_not_found: id'));
    expect(used).toEqual(Array(3).fill('404 agent_not_found: agent'));
    expect(await Promise.all(attempts('other'))).toEqual(Array(3).fill('404 agent_not_found: id'));
    expect(await Promise.all(attempts('reader'))).toEqual(Array(3).fill('403 insufficient_scope: null'));
    expect((await as('other').call<{ data: unknown[] }>('GET', '/v1/agents')).body.data).toEqual([]);
    expect((await as('reader').call('GET', '/v1/agents/support')).status).toBe(200);
    expect((await createAgent(as('other'))).version).toBe(1);
  },
);
