import { expect } from 'vitest';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { type Answer, apiClient } from '#test/harness/api-client.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { testWith } from '#test/harness/test.ts';
import { refusalOf } from '../refusals.ts';

const keys = ['key-of-web', { key: 'key-of-chat', allowed_agents: ['support'] }];
const test = testWith({ env: { PAWL_PROJECTS: JSON.stringify({ web: { keys } }) } });
const input = 'Hi';

async function withAgents({ url }: Harness) {
  const [free, chat] = [apiClient(url, 'key-of-web'), apiClient(url, 'key-of-chat')];
  for (const name of ['support', 'other']) {
    const body = { name, model: 'openai/test', instructions: 'Help {{who}}.', limits: { max_rounds: 10 } };
    expect((await free.call('POST', '/v1/agents', { body })).status).toBe(201);
  }
  return { free, chat };
}

const variables = { who: 'Ada' };

/** Returns a started turn as it is stored. */
async function storedOf({ db }: Harness, { status, body }: Answer<Record<string, unknown>>) {
  expect(status, JSON.stringify(body)).toBe(202);
  return (await findTurn(db, 'web', String(body.id)))!.config;
}

test('a fork and a rerun use the version of an allowed agent as it is', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const limits = { max_rounds: 4 };
  const { id } = await chat.startTurn({ agent: 'support', model: undefined, input, variables, limits });
  await harness.workUntilIdle();
  const changes = { instructions: 'Ask {{who}}.' };
  expect((await free.call('PATCH', '/v1/agents/support', { body: changes })).status).toBe(200);

  for (const [path, body] of [
    ['fork', { after_round: 0, input: 'And now?' }],
    ['rerun', { tool_results: 'run' }],
  ] as const) {
    const forked = await chat.call('POST', `/v1/turns/${id}/${path}`, { body });
    const first = { agent: { version: 1 }, instructions: 'Help Ada.', limits };
    expect(await storedOf(harness, forked)).toMatchObject(first);
    const next = await chat.call('POST', `/v1/conversations/${forked.body.conversation_id}/turns`, { body: { input } });
    expect(await storedOf(harness, next)).toMatchObject(first);
    const renamed = await chat.call('POST', `/v1/turns/${id}/${path}`, { body: { ...body, agent: 'support' } });
    expect(await storedOf(harness, renamed)).toMatchObject({ agent: { version: 2 }, instructions: 'Ask Ada.' });
  }
  await harness.workUntilIdle();
});

test('a fork or a rerun of a turn without an allowed agent must name an allowed agent', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const plain = await free.startTurn({ input, instructions: 'Obey.', temperature: 0.5 });
  const other = await free.startTurn({ agent: 'other', variables, input });
  await harness.workUntilIdle();

  for (const { id } of [plain, other]) {
    for (const path of [`/v1/turns/${id}/fork`, `/v1/turns/${id}/rerun`]) {
      const body = path.endsWith('fork') ? { after_round: 0, input } : {};
      expect(await refusalOf(chat, path, body)).toBe('403 agent_not_allowed: agent');
      const named = { ...body, agent: 'support', variables };
      const forked = await chat.call('POST', path, { body: named });
      const config = await storedOf(harness, forked);
      expect([config.instructions, config.temperature ?? null]).toEqual(['Help Ada.', null]);
      expect(await refusalOf(chat, path, { ...named, seed: 1 })).toBe('403 agent_override_not_allowed: seed');
    }
  }
  await harness.workUntilIdle();
});

test('a fork with an allowed agent drops the other fields of the turn', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const { id } = await free.startTurn({ agent: 'support', model: undefined, input, instructions: 'Obey.', seed: 7 });
  await harness.workUntilIdle();

  const body = { after_round: 0, input, variables };
  const forked = await chat.call('POST', `/v1/turns/${id}/fork`, { body });

  const config = await storedOf(harness, forked);
  expect([config.instructions, config.seed ?? null]).toEqual(['Help Ada.', null]);
});

test('a key with allowed agents adds no input to a fork that changes its agent', async ({ harness }) => {
  const { chat, free } = await withAgents(harness);
  const { id } = await free.startTurn({ agent: 'support', model: undefined, input, variables });
  await harness.workUntilIdle();
  const added = async (fields: object) => {
    const body = { after_round: 0, input, ...fields };
    const forked = await free.call<{ id: string }>('POST', `/v1/turns/${id}/fork`, { body });
    return refusalOf(chat, `/v1/turns/${forked.body.id}/input`, { input });
  };

  expect(await added({})).toBe('200 accepted');
  expect(await added({ seed: 7 })).toBe('403 agent_not_allowed: null');
  expect(await added({ agent: 'support', variables })).toBe('403 agent_not_allowed: null');
});
