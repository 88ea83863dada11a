import { expect } from 'vitest';
import type { AgentResource } from '#core/turn/resource/agent.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';
import { changeAgent, createAgent, createConversation, instructionsSent, setLabel, start } from './agents.ts';

const put = ({ call }: Harness, label: string, body: object, name = 'support') =>
  call<AgentResource>('PUT', `/v1/agents/${name}/labels/${label}`, { body });
const remove = ({ call }: Harness, label: string) => call('DELETE', `/v1/agents/support/labels/${label}`);

/** Creates an agent with two versions. The instructions of each version are its number. */
async function twoVersions(harness: Harness): Promise<void> {
  await createAgent(harness, { instructions: 'one' });
  await changeAgent(harness, 'support', { instructions: 'two' });
}

test('a label of an agent is set, moved, replaced by weights and deleted', async ({ harness }) => {
  await twoVersions(harness);

  const set = await put(harness, 'production', { version: 1 });
  const other = await put(harness, 'trial-2_b', { version: 1 });
  const moved = await put(harness, 'production', { version: 2 });
  const weighted = await put(harness, 'production', { versions: { '1': 90, '2': 10 } });
  const removed = await remove(harness, 'production');
  const { body } = await harness.call<AgentResource>('GET', '/v1/agents/support');

  expect(set).toMatchObject({ status: 200, body: { version: 2, labels: { production: { version: 1 } } } });
  expect(other.body.labels).toEqual({ production: { version: 1 }, 'trial-2_b': { version: 1 } });
  expect(moved.body.labels.production).toEqual({ version: 2 });
  expect(weighted.body.labels.production).toEqual({ versions: { '1': 90, '2': 10 } });
  expect([removed.status, removed.body]).toEqual([204, null]);
  expect(body.labels).toEqual({ 'trial-2_b': { version: 1 } });
  expect(describeRefusal(await remove(harness, 'production'))).toBe('404 agent_label_not_found: label');
  expect(await refusalOf(harness, '/v1/turns', { agent: 'support@production', input: 'Hi' })).toBe(
    '404 agent_not_found: agent',
  );
});

test('labels of an agent that are set at once are all kept', async ({ harness }) => {
  await createAgent(harness);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];

  await Promise.all(names.map((name) => put(harness, name, { version: 1 })));

  const { body } = await harness.call<AgentResource>('GET', '/v1/agents/support');
  expect(Object.keys(body.labels).toSorted()).toEqual(names);
});

test('a label with a wrong form or an unknown version of an agent is refused', async ({ harness }) => {
  await createAgent(harness);
  const refused = async (label: string, body: object, name?: string) =>
    describeRefusal(await put(harness, label, body, name));

  expect(await refused('production', { version: 2 })).toBe('404 agent_not_found: version');
  expect(await refused('production', { versions: { '1': 1, '3': 1 } })).toBe('404 agent_not_found: versions.3');
  expect(await refused('production', { version: 1 }, 'sales')).toBe('404 agent_not_found: id');
  expect(await refused('production', {})).toBe('400 missing_field: version');
  expect(await refused('production', { version: 1, versions: { '1': 1 } })).toBe(
    '400 mutually_exclusive_parameters: versions',
  );
  for (const version of [0, -1, 1.5, '1']) {
    expect(await refused('production', { version })).toBe('400 invalid_value: version');
  }
  for (const label of ['7', 'Production', 'a.b', 'a'.repeat(33)]) {
    expect(await refused(label, { version: 1 })).toBe('400 invalid_value: label');
  }
  for (const weight of [0, -1, 0.5]) {
    expect(await refused('production', { versions: { '1': weight } })).toBe('400 invalid_value: versions.1');
  }
  expect(await refused('production', { versions: {} })).toBe('400 invalid_value: versions');
  expect((await harness.call<AgentResource>('GET', '/v1/agents/support')).body.labels).toEqual({});
});

test('a label that moves changes the next turn of a conversation, and no queued turn', async ({ harness }) => {
  await twoVersions(harness);
  await setLabel(harness, 'support@production', { version: 1 });
  const { id } = await createConversation(harness, { agent: 'support@production' });

  const queued = await start(harness, {}, id);
  await setLabel(harness, 'support@production', { version: 2 });
  const sentOfQueued = await instructionsSent(harness);
  const next = await start(harness, {}, id);
  const sentOfNext = await instructionsSent(harness);

  expect([queued.agent?.version, next.agent?.version]).toEqual([1, 2]);
  expect([sentOfQueued, sentOfNext]).toEqual(['one', 'two']);
  expect((await harness.findTurn(queued.id)).agent?.version).toBe(1);
});

test('a conversation without a version uses the current version of its agent', async ({ harness }) => {
  await createAgent(harness, { instructions: 'one' });
  const current = await createConversation(harness, { agent: 'support' });
  const pinned = await createConversation(harness, { agent: 'support@1' });

  await changeAgent(harness, 'support', { instructions: 'two' });

  expect((await start(harness, {}, current.id)).agent?.version).toBe(2);
  expect((await start(harness, {}, pinned.id)).agent?.version).toBe(1);
});

test('all turns of a conversation get the same version of a label with weights', async ({ harness }) => {
  await twoVersions(harness);
  await setLabel(harness, 'support@trial', { versions: { '1': 50, '2': 50 } });
  const conversations = Array.from({ length: 20 }, () => start(harness, { agent: 'support@trial' }));

  const first = await Promise.all(conversations);
  const later = await Promise.all(
    first.flatMap(({ conversation_id }) => [start(harness, {}, conversation_id), start(harness, {}, conversation_id)]),
  );

  const versionOf = new Map(first.map(({ conversation_id, agent }) => [conversation_id, agent?.version]));
  for (const turn of later) expect(turn.agent?.version).toBe(versionOf.get(turn.conversation_id));
  expect([...versionOf.values()].every((version) => version === 1 || version === 2)).toBe(true);
});
