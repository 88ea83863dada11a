import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';
import { changeAgent, createAgent, createConversation, instructionsSent, setLabel, start } from './agents.ts';

type Config = { model: string; tools: { name: string }[]; sampling: Record<string, unknown> } & Record<string, unknown>;

const configOf = async ({ call }: Harness, id: string) =>
  (await call<{ config: Config }>('GET', `/v1/turns/${id}?include=config`)).body.config;
const lastBody = ({ modelRequests }: Harness) => modelRequests.at(-1)?.sent;

test('a turn runs with the configuration of its agent', async ({ harness }) => {
  const { id } = await createAgent(harness, {
    ...{ model: 'openai/of-agent', instructions: 'Be brief.', tools: ['weather_lookup'], temperature: 0.2 },
    limits: { max_rounds: 3 },
  });

  const turn = await start(harness, { agent: 'support' });
  const sent = await instructionsSent(harness);
  const { body: list } = await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns');

  const agent = { id, name: 'support', version: 1 };
  expect(turn).toMatchObject({ agent, model: 'openai/of-agent' });
  expect(sent).toBe('Be brief.');
  expect(lastBody(harness)).toMatchObject({
    ...{ model: 'of-agent', temperature: 0.2, tools: [{ function: { name: 'weather_lookup' } }] },
  });
  expect(await configOf(harness, turn.id)).toMatchObject({ limits: { max_rounds: 3, max_tool_calls: 200 } });
  expect(await harness.findTurn(turn.id)).toMatchObject({ agent, status: 'completed' });
  expect(list.data[0]?.agent).toEqual(agent);
});

test('an agent is named by name or id, alone or with a version or a label', async ({ harness }) => {
  const { id } = await createAgent(harness);
  await changeAgent(harness, 'support', { seed: 7 });
  await setLabel(harness, 'support@production', { version: 1 });
  const used = async (agent: string) => (await start(harness, { agent })).agent;
  const versions = { '': 2, '@1': 1, '@2': 2, '@production': 1 };

  for (const [suffix, version] of Object.entries(versions)) {
    for (const name of ['support', id]) expect(await used(name + suffix)).toEqual({ id, name: 'support', version });
  }
});

test('a turn with an unknown agent, version or label is refused', async ({ harness }) => {
  await createAgent(harness);
  const paths = ['/v1/turns', '/v1/conversations'];
  const refused = (agent: unknown, path: string) => refusalOf(harness, path, { agent, input: 'Hi' });

  for (const path of paths) {
    for (const agent of ['sales', 'support@2', 'support@production', 'agent_01kagz8m4pfvbte2n5q7rys3wx'])
      expect(await refused(agent, path)).toBe('404 agent_not_found: agent');
    for (const agent of ['', 'Support', 'support@', 'support@0', '@7', 7])
      expect(await refused(agent, path)).toBe('400 invalid_value: agent');
  }
  expect((await harness.call<{ data: unknown[] }>('GET', '/v1/turns')).body.data).toEqual([]);
});

/** The places of a value in the order of precedence. */
const PLACES = ['turn', 'agentOfTurn', 'conversation', 'agentOfConversation'] as const;

/** Fields with a value for each place, and the value of a turn's configuration. */
const FIELDS = [
  { name: 'model', values: PLACES.map((_, index) => `openai/m${index}`), shown: ({ model }: Config) => model },
  { name: 'instructions', values: ['a', 'b', 'c', 'd'], shown: (config: Config) => config.instructions },
  { name: 'seed', values: [1, 2, 3, 4], shown: ({ sampling }: Config) => sampling.seed },
  {
    name: 'tools',
    values: [['weather_lookup'], ['send_postcard'], ['note_visit'], []],
    shown: ({ tools }: Config) => tools.map(({ name }) => name),
  },
  {
    name: 'limits',
    values: [{ max_rounds: 1 }, { max_rounds: 2 }, { max_rounds: 3 }, { max_rounds: 4 }],
    shown: ({ limits }: Config) => ({ max_rounds: (limits as { max_rounds: number }).max_rounds }),
  },
];

test.each(FIELDS)('a turn takes $name from the first place of the order', async ({ name, values, shown }) => {
  await using harness = await createHarness();
  const given = (places: readonly string[], place: (typeof PLACES)[number]) =>
    places.includes(place) ? { [name]: values[PLACES.indexOf(place)] } : {};

  for (const [first, place] of PLACES.entries()) {
    // The places below have the field, too.
    const having = PLACES.slice(first);
    const [own, standing] = [`own-${first}`, `standing-${first}`];
    await createAgent(harness, { name: own, model: null, ...given(having, 'agentOfTurn') });
    await createAgent(harness, { name: standing, model: null, ...given(having, 'agentOfConversation') });
    const inherited = { agent: standing, ...given(having, 'conversation') };
    const { id } = await createConversation(harness, inherited);
    const model = name === 'model' ? {} : { model: 'openai/test' };

    const turn = await start(harness, { ...model, agent: own, ...given(having, 'turn') }, id);

    expect(shown(await configOf(harness, turn.id)), place).toEqual(values[first]);
    expect(turn.agent?.name).toBe(own);
  }
});

test('a turn takes fields from its conversation before the agent of the conversation', async ({ harness }) => {
  await createAgent(harness, { instructions: 'Of the agent.', temperature: 0.2, seed: 7 });
  const { id } = await createConversation(harness, { agent: 'support', temperature: 0.5 });

  const inherited = await start(harness, {}, id);
  const own = await start(harness, { instructions: 'Own.', seed: null }, id);

  expect(await configOf(harness, inherited.id)).toMatchObject({
    ...{ instructions: 'Of the agent.', sampling: { temperature: 0.5, seed: 7 } },
  });
  expect(await configOf(harness, own.id)).toMatchObject({
    ...{ instructions: 'Own.', sampling: { temperature: 0.5, seed: null } },
  });
  expect([inherited.agent?.name, own.agent?.name]).toEqual(['support', 'support']);
});

test('a turn with the agent null runs without an agent', async ({ harness }) => {
  await createAgent(harness, { model: 'openai/of-agent', instructions: 'Of the agent.' });
  const { id } = await createConversation(harness, { agent: 'support', seed: 7 });

  const turn = await start(harness, { agent: null, model: 'openai/test' }, id);

  expect(turn.agent).toBeNull();
  expect(await instructionsSent(harness)).toBeNull();
  expect(await configOf(harness, turn.id)).toMatchObject({ model: 'openai/test', sampling: { seed: 7 } });
  expect(await refusalOf(harness, `/v1/conversations/${id}/turns`, { agent: null, input: 'Hi' })).toBe(
    '400 missing_field: model',
  );
});

test('a field of a turn with an agent is checked with the fields of the agent', async ({ harness }) => {
  await createAgent(harness, { tool_choice: { type: 'specific', name: 'weather_lookup' }, tools: ['weather_lookup'] });

  expect(await refusalOf(harness, '/v1/turns', { agent: 'support', tools: [], input: 'Hi' })).toBe(
    '400 invalid_value: tool_choice.name',
  );
});

test('a conversation shows its agent, and a change can set, move and remove the agent', async ({ harness }) => {
  await createAgent(harness, { instructions: 'one' });
  await changeAgent(harness, 'support', { instructions: 'two' });
  const made = await createConversation(harness, { agent: 'support@1', model: 'openai/test' });
  const change = (body: object) => harness.call('PATCH', `/v1/conversations/${made.id}`, { body });
  const nextVersion = async () => (await start(harness, {}, made.id)).agent?.version;

  const before = await nextVersion();
  const moved = await change({ agent: 'support@2' });
  const after = await nextVersion();
  const removed = await change({ agent: null });
  const without = await start(harness, {}, made.id);

  expect(made).toMatchObject({ agent: 'support@1', variables: null });
  expect([before, after, without.agent]).toEqual([1, 2, null]);
  expect([moved.body.agent, removed.body.agent]).toEqual(['support@2', null]);
  expect(describeRefusal(await change({ agent: 'support@3' }))).toBe('404 agent_not_found: agent');
  expect(await refusalOf(harness, '/v1/conversations', { agent: 'nothing' })).toBe('404 agent_not_found: agent');
});

test('a conversation with an agent and an input starts its first turn with the agent', async ({ harness }) => {
  await createAgent(harness, { instructions: 'Be brief.' });

  const { status, body } = await harness.call<{ id: string; turn: TurnResource }>('POST', '/v1/conversations', {
    body: { agent: 'support', input: 'Hi' },
  });
  const sent = await instructionsSent(harness);
  const next = await start(harness, {}, body.id);

  expect([status, body.turn.agent?.version, next.agent?.version]).toEqual([202, 1, 1]);
  expect(sent).toBe('Be brief.');
});

test('a turn is started once per idempotency key, also if its agent is deleted', async ({ harness }) => {
  await createAgent(harness);
  const create = () =>
    harness.call<TurnResource>('POST', '/v1/turns', {
      ...{ body: { agent: 'support', input: 'Hi' }, headers: { 'idempotency-key': 'one' } },
    });

  const first = await create();
  await harness.call('DELETE', '/v1/agents/support');
  const replay = await create();

  expect([replay.status, replay.body.id]).toEqual([202, first.body.id]);
});

test.each(['merge', 'steer'])('an input with another agent cannot %s into a turn', async (policy) => {
  await using harness = await createHarness();
  await createAgent(harness, { instructions: 'one' });
  await changeAgent(harness, 'support', { instructions: 'two' });
  await setLabel(harness, 'support@production', { version: 1 });
  await createAgent(harness, { name: 'sales' });
  const queued = await start(harness, { agent: 'support@production' });
  const path = `/v1/conversations/${queued.conversation_id}/turns`;
  const join = (fields: object) =>
    harness.call<TurnResource>('POST', path, { body: { input: 'And?', on_active_turn: policy, ...fields } });

  const other = [
    await join({ agent: 'sales' }),
    await join({ agent: 'support@2' }),
    await join({ agent: null, model: 'openai/test' }),
  ];
  const same = [await join({}), await join({ agent: 'support@1' }), await join({ agent: 'support@production' })];
  await setLabel(harness, 'support@production', { version: 2 });
  const moved = [await join({ agent: 'support@production' }), await join({})];

  expect(other.map(describeRefusal)).toEqual(Array(3).fill('409 turn_differs: agent'));
  expect(same.map(({ status, body }) => [status, body.id])).toEqual(Array(3).fill([200, queued.id]));
  expect(moved.map(describeRefusal)).toEqual(['409 turn_differs: agent', '200 accepted']);
  expect(await instructionsSent(harness)).toBe('one');
});
