import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { takeAll } from './take-all.ts';

const support = { name: 'support', model: 'openai/test', instructions: 'You help {{customer}}.' };

test('the client creates, changes, lists and deletes agents', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const created = await pawl.agents.create({ ...support, metadata: { team: 'desk' } });
  const changed = await pawl.agents.change('support', { model: 'sim/demo', version: 1 });
  const stale = pawl.agents.change('support', { model: 'sim/other', version: 1 });
  await expect(stale).rejects.toMatchObject({ status: 409, code: 'version_conflict' });
  const other = await pawl.agents.create({ name: 'researcher', model: 'sim/demo' });
  const first = await pawl.agents.get(created.id, { version: 1 });
  const pages = await takeAll(pawl.agents.list({ limit: 1 }));
  const versions = await takeAll(pawl.agents.versions('support', { limit: 1 }));

  expect(created).toMatchObject({ object: 'agent', name: 'support', version: 1, metadata: { team: 'desk' } });
  expect(changed).toMatchObject({ id: created.id, version: 2, config: { model: 'sim/demo' } });
  expect(first.config).toMatchObject({ model: 'openai/test', instructions: 'You help {{customer}}.' });
  expect(pages.map(({ id }) => id)).toEqual([other.id, created.id]);
  expect(versions.map(({ version }) => version)).toEqual([2, 1]);

  await pawl.agents.delete('support');

  await expect(pawl.agents.get('support')).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
});

test('an agent is created once when its request is repeated', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const first = await pawl.agents.create(support, { idempotencyKey: 'agent-1' });
  const again = await pawl.agents.create(support, { idempotencyKey: 'agent-1' });

  expect(again).toEqual(first);
  await expect(pawl.agents.create(support)).rejects.toMatchObject({ status: 409, code: 'agent_exists' });
});

test('the client moves a label, and each turn reports the version of its agent', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  await pawl.agents.create(support);
  await pawl.agents.change('support', { instructions: 'You help {{customer}} briefly.' });
  const agent = 'support@production';
  const start = async () => {
    const { id } = await pawl.turns.start({ agent, variables: { customer: 'Ada' }, input: 'Hi' });
    return pawl.turns.get(id, { include: 'config' });
  };

  await pawl.agents.setLabel('support', 'production', { version: 1 });
  const before = await start();
  const moved = await pawl.agents.setLabel('support', 'production', { version: 2 });
  const after = await start();
  const weighted = await pawl.agents.setLabel('support', 'canary', { versions: { 1: 90, 2: 10 } });
  await pawl.agents.deleteLabel('support', 'production');

  expect(before).toMatchObject({ agent: { name: 'support', version: 1 }, config: { instructions: 'You help Ada.' } });
  expect(moved.labels).toEqual({ production: { version: 2 } });
  expect(after).toMatchObject({ agent: { version: 2 }, config: { instructions: 'You help Ada briefly.' } });
  expect(weighted.labels).toMatchObject({ canary: { versions: { 1: 90, 2: 10 } } });
  await expect(start()).rejects.toMatchObject({ status: 404 });
});
