import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { refusalOf } from '../refusals.ts';
import { again, changeAgent, createAgent, instructionsSent, setLabel, start } from './agents.ts';

const variables = { customer: '{{name}}' };

/** Runs a turn with an agent, then changes the agent. The value of the variable looks like a variable. */
async function endedTurn(harness: Harness) {
  await createAgent(harness, { instructions: 'You help {{customer}}.', seed: 7, tools: ['weather_lookup'] });
  const turn = await start(harness, { agent: 'support', variables, temperature: 0.2 });
  await harness.workUntilIdle();
  await changeAgent(harness, 'support', { instructions: 'You greet {{customer}}.', seed: 8 });
  return turn;
}

const configOf = async ({ call }: Harness, id: string) =>
  (await call<{ config: Record<string, unknown> }>('GET', `/v1/turns/${id}?include=config`)).body.config;

test.for([
  ['fork', { input: 'And?' }],
  ['rerun', {}],
] as const)(
  'a %s keeps the version, the instructions and the fields of its turn',
  async ([action, body], { harness }) => {
    const origin = await endedTurn(harness);

    const same = await again(harness, origin.id, action, body);
    const sent = await instructionsSent(harness);
    const twice = await again(harness, same.id, action, body);
    const sentTwice = await instructionsSent(harness);
    const later = await start(harness, {}, same.conversation_id);
    const sentLater = await instructionsSent(harness);

    expect([same.agent, twice.agent, later.agent]).toEqual(Array(3).fill(origin.agent));
    expect([sent, sentTwice, sentLater]).toEqual(Array(3).fill('You help {{name}}.'));
    expect(await configOf(harness, same.id)).toEqual(await configOf(harness, origin.id));
  },
);

test.for([
  ['fork', { input: 'And?' }],
  ['rerun', {}],
] as const)('a %s with another agent is filled with the variables of its turn', async ([action, body], { harness }) => {
  const origin = await endedTurn(harness);
  await createAgent(harness, {
    name: 'sales',
    model: 'openai/other',
    instructions: 'Sell to {{customer}}.',
    tools: [],
  });

  const newer = await again(harness, origin.id, action, { ...body, agent: 'support' });
  const sentNewer = await instructionsSent(harness);
  const other = await again(harness, origin.id, action, { ...body, agent: 'sales', variables: { customer: 'Bo' } });
  const sentOther = await instructionsSent(harness);

  expect([newer.agent?.version, sentNewer]).toEqual([2, 'You greet {{name}}.']);
  expect(await configOf(harness, newer.id)).toMatchObject({ sampling: { seed: 8, temperature: 0.2 } });
  expect([other.agent?.name, other.model, sentOther]).toEqual(['sales', 'openai/other', 'Sell to Bo.']);
  expect(await configOf(harness, other.id)).toMatchObject({ tools: [], sampling: { seed: 7, temperature: 0.2 } });
});

test('a fork of a fork with another agent has the variables of the first turn', async ({ harness }) => {
  const origin = await endedTurn(harness);
  const forked = await again(harness, origin.id, 'fork', { input: 'And?' });
  await harness.workUntilIdle();

  await again(harness, forked.id, 'rerun', { agent: 'support@2' });

  expect(await instructionsSent(harness)).toBe('You greet {{name}}.');
});

test('fields of a fork come before the fields of its agent', async ({ harness }) => {
  const origin = await endedTurn(harness);

  const own = { input: 'And?', agent: 'support', instructions: 'Be {{brief}}.', temperature: null };
  const forked = await again(harness, origin.id, 'fork', own);

  expect(await instructionsSent(harness)).toBe('Be {{brief}}.');
  expect(forked.agent?.version).toBe(2);
  expect(await configOf(harness, forked.id)).toMatchObject({ sampling: { seed: 8, temperature: null } });
});

test('a fork keeps the variables of its turn while the instructions stay', async ({ harness }) => {
  const origin = await endedTurn(harness);
  await createAgent(harness, { name: 'plain', seed: 9 });

  for (const agent of ['plain', null]) {
    const forked = await again(harness, origin.id, 'fork', { input: 'And?', agent });
    const sent = await instructionsSent(harness);
    await again(harness, forked.id, 'rerun', { agent: 'support' });

    expect([sent, await instructionsSent(harness)]).toEqual(['You help {{name}}.', 'You greet {{name}}.']);
  }
});

test('a fork with the agent null keeps the configuration, and runs without an agent', async ({ harness }) => {
  const origin = await endedTurn(harness);

  const forked = await again(harness, origin.id, 'fork', { input: 'And?', agent: null });
  const sent = await instructionsSent(harness);
  const later = await start(harness, {}, forked.conversation_id);

  expect([forked.agent, later.agent]).toEqual([null, null]);
  expect(sent).toBe('You help {{name}}.');
});

test('later turns of a fork keep the version that its label named', async ({ harness }) => {
  const origin = await endedTurn(harness);
  await setLabel(harness, 'support@production', { version: 1 });

  const forked = await again(harness, origin.id, 'fork', { input: 'And?', agent: 'support@production' });
  await setLabel(harness, 'support@production', { version: 2 });
  const later = await start(harness, {}, forked.conversation_id);

  expect([forked.agent?.version, later.agent?.version]).toEqual([1, 1]);
});

test('a fork or rerun with an unknown agent or a missing variable is refused', async ({ harness }) => {
  const origin = await endedTurn(harness);
  await createAgent(harness, { name: 'sales', instructions: 'Sell {{product}} to {{customer}}.' });
  const refused = (action: string, body: object) => refusalOf(harness, `/v1/turns/${origin.id}/${action}`, body);

  for (const [action, input] of [
    ['fork', { input: 'And?' }],
    ['rerun', {}],
  ] as const) {
    expect(await refused(action, { ...input, agent: 'nothing' })).toBe('404 agent_not_found: agent');
    expect(await refused(action, { ...input, agent: 'support@9' })).toBe('404 agent_not_found: agent');
    expect(await refused(action, { ...input, agent: 'sales' })).toBe('400 missing_field: variables.product');
    expect(await refused(action, { ...input, agent: 'support', variables: { town: 'Bern' } })).toBe(
      '400 invalid_value: variables.town',
    );
  }
});

test('a fork of a turn with a deleted agent is refused unless it names another or null', async ({ harness }) => {
  const origin = await endedTurn(harness);
  await createAgent(harness, { name: 'sales', instructions: 'Sell.' });
  await harness.call('DELETE', '/v1/agents/support');
  await createAgent(harness, { instructions: 'A new agent of that name.' });

  for (const [action, input] of [
    ['fork', { input: 'And?' }],
    ['rerun', {}],
  ] as const) {
    expect(await refusalOf(harness, `/v1/turns/${origin.id}/${action}`, input)).toBe('404 agent_not_found: agent');
    expect((await again(harness, origin.id, action, { ...input, agent: null })).agent).toBeNull();
    expect((await again(harness, origin.id, action, { ...input, agent: 'sales' })).agent?.name).toBe('sales');
  }
});
