import { expect } from 'vitest';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { type Answer, apiClient } from '#test/harness/api-client.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { testWith } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';

const keys = [
  'key-of-web',
  { key: 'key-of-chat', allowed_agents: ['support', 'sales'] },
  { key: 'key-of-none', allowed_agents: [] },
];
const PAWL_PROJECTS = JSON.stringify({
  web: { keys },
  bound: {
    keys: ['key-of-bound', { key: 'key-of-both', allowed_agents: ['support'] }],
    allowed_agents: ['support', 'sales'],
  },
});

const test = testWith({ env: { PAWL_PROJECTS } });
const input = 'Hi';
const OVERRIDE = '403 agent_override_not_allowed';
const NOT_ALLOWED = '403 agent_not_allowed';

/** Creates three agents with one key, and returns a client for each key. */
async function withAgents({ url }: Harness, { by = 'key-of-web', of = 'key-of-chat' } = {}) {
  const [free, chat] = [apiClient(url, by), apiClient(url, of)];
  for (const name of ['support', 'sales', 'other']) {
    const body = {
      name,
      model: 'openai/test',
      instructions: 'Help.',
      limits: { max_rounds: 10, max_total_tokens: 900 },
    };
    expect((await free.call('POST', '/v1/agents', { body })).status).toBe(201);
  }
  return { free, chat };
}

const idOf = ({ status, body }: Answer<unknown>): string => {
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return (body as { id: string }).id;
};

test('a key with allowed agents starts turns of these agents only', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const none = apiClient(harness.url, 'key-of-none');

  for (const path of ['/v1/turns', '/v1/conversations']) {
    expect(await refusalOf(chat, path, { agent: 'support', input }), path).toBe('202 accepted');
    expect(await refusalOf(chat, path, { agent: 'sales@1', input }), path).toBe('202 accepted');
    for (const agent of ['other', 'missing', null, undefined]) {
      expect(await refusalOf(chat, path, { agent, input }), path).toBe(`${NOT_ALLOWED}: agent`);
    }
    expect(await refusalOf(chat, path, { model: 'openai/test', input }), path).toBe(`${NOT_ALLOWED}: agent`);
    expect(await refusalOf(none, path, { agent: 'support', input }), path).toBe(`${NOT_ALLOWED}: agent`);
    expect(await refusalOf(free, path, { model: 'openai/test', input }), path).toBe('202 accepted');
  }
});

test('an allowed agent may be named by its id, and another agent may not', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const [support, other] = await Promise.all(
    ['support', 'other'].map(async (name) => idOf(await free.call('GET', `/v1/agents/${name}`))),
  );

  expect(await refusalOf(chat, '/v1/turns', { agent: support, input })).toBe('202 accepted');
  expect(await refusalOf(chat, '/v1/turns', { agent: other, input })).toBe(`${NOT_ALLOWED}: agent`);
});

const overrides: [string, object][] = [
  ['instructions', { instructions: 'Obey.' }],
  ['instructions', { instructions: null }],
  ['model', { model: 'openai/test' }],
  ['tools', { tools: [] }],
  ['temperature', { temperature: 0.5 }],
  ['context', { context: null }],
  ['limits.max_rounds', { limits: { max_rounds: 11 } }],
  ['limits.max_rounds', { limits: { max_rounds: null } }],
  ['limits.max_tool_calls', { limits: { max_tool_calls: 201 } }],
  ['limits.max_total_tokens', { limits: { max_total_tokens: null } }],
  ['limits', { limits: null }],
];

test('each field that changes an allowed agent is refused, also null', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const conversation = idOf(await chat.call('POST', '/v1/conversations', { body: { agent: 'support' } }));
  const { id: turnId } = await free.startTurn({ agent: 'support', input });
  await harness.workUntilIdle();

  for (const [param, fields] of overrides) {
    const refusal = `${OVERRIDE}: ${param}`;
    for (const path of ['/v1/turns', '/v1/conversations', `/v1/conversations/${conversation}/turns`]) {
      expect(await refusalOf(chat, path, { agent: 'support', input, ...fields }), path).toBe(refusal);
    }
    expect(await refusalOf(chat, `/v1/turns/${turnId}/fork`, { after_round: 0, input, ...fields })).toBe(refusal);
    const scheduled = { every_seconds: 60, turn: { agent: 'support', input, ...fields } };
    expect(await refusalOf(chat, '/v1/schedules', scheduled)).toBe(`${OVERRIDE}: turn.${param}`);
  }
});

test('fields that do not change an allowed agent are accepted', async ({ harness }) => {
  const { chat } = await withAgents(harness);
  const webhook = { url: 'http://127.0.0.1:1/hook' };
  const fields = { metadata: { order: '17' }, priority: 3, webhook, on_active_turn: 'enqueue', delay_seconds: 60 };
  const limits = { max_rounds: 10, max_tool_calls: 5, max_cost_usd: null, deadline_seconds: 60 };

  const turn = await chat.call('POST', '/v1/turns', { body: { agent: 'support', input, ...fields, limits } });

  expect(turn).toMatchObject({ status: 202, body: { agent: { name: 'support' } } });
  const { config } = (await findTurn(harness.db, 'web', idOf(turn)))!;
  expect(config).toMatchObject({ instructions: 'Help.', limits: { ...limits, max_total_tokens: 900 } });
});

test('messages for an allowed agent have the role user', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Obey.' },
  ];
  const refusal = `${OVERRIDE}: input[1].role`;
  const ended = await free.startTurn({ agent: 'support', input });
  await harness.workUntilIdle();
  const { id } = await free.startTurn({ agent: 'support', input });
  const paths = ['/v1/turns', '/v1/conversations', `/v1/turns/${ended.id}/fork`, `/v1/turns/${id}/input`];

  for (const path of paths) {
    const fields = path.endsWith('input') ? {} : { agent: 'support' };
    const after = path.endsWith('fork') ? { after_round: 0 } : {};
    expect(await refusalOf(chat, path, { ...fields, ...after, input: messages }), path).toBe(refusal);
  }
  expect(await refusalOf(chat, `/v1/turns/${id}/input`, { input: messages.slice(0, 1) })).toBe('200 accepted');
  expect(await refusalOf(free, `/v1/turns/${id}/input`, { input: messages })).toBe('200 accepted');
});

test('a key with allowed agents adds no input to a turn of another agent', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const conversation = idOf(await free.call('POST', '/v1/conversations', { body: { agent: 'support' } }));
  const path = `/v1/conversations/${conversation}/turns`;
  const id = idOf(await free.call('POST', path, { body: { agent: 'other', input } }));

  const [added, steered] = await Promise.all([
    refusalOf(chat, `/v1/turns/${id}/input`, { input }),
    refusalOf(chat, path, { input, on_active_turn: 'merge' }),
  ]);

  expect([added, steered]).toEqual([`${NOT_ALLOWED}: null`, `${NOT_ALLOWED}: null`]);
});

test('a turn inherits the allowed agent of its conversation, and no other field', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const begin = async (body: object) => idOf(await free.call('POST', '/v1/conversations', { body }));
  const turnIn = async (id: string, body: object) => refusalOf(chat, `/v1/conversations/${id}/turns`, body);
  const clean = await begin({ agent: 'support', limits: { max_rounds: 3 }, metadata: { a: 'b' } });
  const foreign = await begin({ agent: 'other' });
  const changed = await begin({ agent: 'support', instructions: 'Obey.' });
  const higher = await begin({ agent: 'support', limits: { max_rounds: 11 } });
  const without = await begin({ model: 'openai/test' });

  expect(await turnIn(clean, { input })).toBe('202 accepted');
  expect(await turnIn(clean, { input, agent: null })).toBe(`${NOT_ALLOWED}: agent`);
  expect(await turnIn(foreign, { input })).toBe(`${NOT_ALLOWED}: agent`);
  expect(await turnIn(foreign, { input, agent: 'sales' })).toBe('202 accepted');
  expect(await turnIn(changed, { input })).toBe(`${OVERRIDE}: instructions`);
  expect(await turnIn(higher, { input })).toBe(`${OVERRIDE}: limits.max_rounds`);
  expect(await turnIn(without, { input })).toBe(`${NOT_ALLOWED}: agent`);
  expect(await turnIn(without, { input, agent: 'support' })).toBe(`${OVERRIDE}: model`);
});

test('a conversation and its changes must keep an allowed agent as it is', async ({ harness }) => {
  const { chat } = await withAgents(harness);
  const id = idOf(await chat.call('POST', '/v1/conversations', { body: { agent: 'support', expires_in_seconds: 60 } }));
  const change = async (body: object) => describeRefusal(await chat.call('PATCH', `/v1/conversations/${id}`, { body }));

  expect(await refusalOf(chat, '/v1/conversations', {})).toBe(`${NOT_ALLOWED}: agent`);
  expect(await change({ instructions: 'Obey.' })).toBe(`${OVERRIDE}: instructions`);
  expect(await change({ instructions: null })).toBe(`${OVERRIDE}: instructions`);
  expect(await change({ limits: { max_rounds: 11 } })).toBe(`${OVERRIDE}: limits.max_rounds`);
  expect(await change({ agent: 'other' })).toBe(`${NOT_ALLOWED}: agent`);
  expect(await change({ agent: null })).toBe(`${NOT_ALLOWED}: agent`);
  expect(await change({ agent: 'sales', metadata: {}, limits: { max_rounds: 2 } })).toBe('200 accepted');
});

test('a project and a key with allowed agents allow the agents in both lists', async ({ harness }) => {
  const { free: bound, chat: both } = await withAgents(harness, { by: 'key-of-bound', of: 'key-of-both' });
  const ask = (client: typeof bound, agent: string) => refusalOf(client, '/v1/turns', { agent, input });

  expect(await ask(bound, 'sales')).toBe('202 accepted');
  expect(await ask(bound, 'other')).toBe(`${NOT_ALLOWED}: agent`);
  expect(await ask(both, 'support')).toBe('202 accepted');
  expect(await ask(both, 'sales')).toBe(`${NOT_ALLOWED}: agent`);
});

test('a key with allowed agents cannot change agents or labels, and its project can', async ({ harness }) => {
  const { free: bound, chat: both } = await withAgents(harness, { by: 'key-of-bound', of: 'key-of-both' });
  const changes: [string, string, object?][] = [
    ['POST', '/v1/agents', { name: 'fourth', model: 'openai/test' }],
    ['PATCH', '/v1/agents/support', { instructions: 'Obey.' }],
    ['PUT', '/v1/agents/support/labels/production', { version: 1 }],
    ['DELETE', '/v1/agents/support/labels/production'],
    ['DELETE', '/v1/agents/support'],
  ];

  for (const [method, path, body] of changes) {
    expect(describeRefusal(await both.call(method, path, { body })), path).toBe(`${NOT_ALLOWED}: null`);
  }
  expect((await both.call('GET', '/v1/agents/support')).status).toBe(200);
  for (const [method, path, body] of changes) {
    expect((await bound.call(method, path, { body })).status, path).toBeLessThan(300);
  }
});
