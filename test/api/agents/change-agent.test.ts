import { expect } from 'vitest';
import type { AgentResource } from '#core/turn/resource/agent.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';
import { changeAgent, createAgent } from './agents.ts';

const model = 'openai/test';

const change = ({ call }: Harness, body: object, name = 'support') =>
  call<AgentResource>('PATCH', `/v1/agents/${name}`, { body });
const read = async ({ call }: Harness, query = '') =>
  (await call<AgentResource>('GET', `/v1/agents/support${query}`)).body;

test('a change of an agent creates a version, and the versions before stay', async ({ harness }) => {
  const first = await createAgent(harness, { instructions: 'Be brief.', temperature: 0.2, metadata: { a: '1' } });

  const second = await change(harness, { instructions: 'Be kind.', tools: ['weather_lookup'] });
  const third = await change(harness, { temperature: null, instructions: null }, first.id);

  expect(second).toMatchObject({ status: 200, body: { id: first.id, version: 2, created_at: first.created_at } });
  expect(second.body.config).toEqual({
    ...{ model, temperature: 0.2, instructions: 'Be kind.', tools: ['weather_lookup'] },
  });
  expect(third.body).toMatchObject({ version: 3, metadata: { a: '1' } });
  expect(third.body.config).toEqual({ model, tools: ['weather_lookup'] });
  expect(await read(harness)).toEqual(third.body);
  expect(await read(harness, '?version=1')).toEqual(first);
  expect(await read(harness, '?version=2')).toEqual(second.body);
});

test('a change of the metadata of an agent, or of no field, creates no version', async ({ harness }) => {
  const made = await createAgent(harness, { metadata: { a: '1' } });

  expect((await change(harness, {})).body).toEqual(made);
  expect((await change(harness, { metadata: { b: '2' } })).body).toEqual({ ...made, metadata: { b: '2' } });
  expect((await change(harness, { metadata: null, version: 1 })).body).toEqual({ ...made, metadata: {} });
});

test('a change of an agent that is based on another version is refused', async ({ harness }) => {
  await createAgent(harness);

  const based = await change(harness, { seed: 7, version: 1 });
  const stale = await change(harness, { seed: 8, version: 1 });
  const future = await change(harness, { metadata: { a: '1' }, version: 3 });

  expect(based.body).toMatchObject({ version: 2, config: { seed: 7 } });
  expect([stale, future].map(describeRefusal)).toEqual(Array(2).fill('409 version_conflict: version'));
  expect(await read(harness)).toEqual(based.body);
});

test('of parallel changes that are based on one version of an agent, one is accepted', async ({ harness }) => {
  await createAgent(harness);

  const changes = await Promise.all([1, 2, 3, 4].map((seed) => change(harness, { seed, version: 1 })));

  expect(changes.map(describeRefusal).toSorted()).toEqual([
    '200 accepted',
    ...Array(3).fill('409 version_conflict: version'),
  ]);
  expect(await read(harness)).toMatchObject({ version: 2 });
});

test('20 parallel changes of an agent create consecutive versions, or are refused', async ({ harness }) => {
  await createAgent(harness);
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

  const changes = await Promise.all(seeds.map((seed) => change(harness, { seed })));
  const accepted = changes.filter(({ status }) => status === 200);
  const { body } = await harness.call<{ data: AgentResource[] }>('GET', '/v1/agents/support/versions?limit=100');

  const refused = changes.filter(({ status }) => status !== 200).map(describeRefusal);
  expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? ['409 version_conflict: null'] : []));
  expect(body.data.map(({ version }) => version).toReversed()).toEqual(
    Array.from({ length: accepted.length + 1 }, (_, index) => index + 1),
  );
  const answered = accepted.map((answer) => answer.body).toSorted((one, other) => other.version - one.version);
  expect(answered).toEqual(body.data.slice(0, -1));
  expect(changes.every((answer, index) => answer.status !== 200 || answer.body.config.seed === index + 1)).toBe(true);
});

test('parallel changes of different fields of an agent lose no field', async ({ harness }) => {
  await createAgent(harness);

  await Promise.all([changeAgent(harness, 'support', { seed: 7 }), changeAgent(harness, 'support', { top_p: 0.5 })]);

  expect(await read(harness)).toMatchObject({ version: 3, config: { model, seed: 7, top_p: 0.5 } });
});

test('a change of an agent is checked like a new agent', async ({ harness }) => {
  const made = await createAgent(harness, { tools: ['weather_lookup'], tool_choice: 'required' });
  const refused = async (body: object, name = 'support') => describeRefusal(await change(harness, body, name));

  expect(await refused({ model: 'nowhere/x' })).toBe('400 provider_not_configured: model');
  expect(await refused({ tools: ['nope'], metadata: {} })).toBe('400 unknown_tool: tools[0]');
  expect(await refused({ tools: null })).toBe('400 invalid_value: tool_choice');
  expect(await refused({ name: 'sales' })).toBe('400 unknown_field: name');
  expect(await refused({ seed: 7, version: 0 })).toBe('400 invalid_value: version');
  expect(await refused({ seed: 7 }, 'sales')).toBe('404 agent_not_found: id');
  expect(await refused({ seed: 7 }, 'No name')).toBe('404 agent_not_found: id');
  expect(await read(harness)).toEqual(made);
});
