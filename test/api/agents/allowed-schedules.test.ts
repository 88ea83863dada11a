import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ScheduleResource } from '#core/turn/resource/schedule.ts';
import { openLog } from '#services/process/log.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';

const log = openLog('test', 'silent');
const input = 'What is new?';
const chatWith = (...names: string[]) => ({
  web: { keys: ['key-of-web', { key: 'key-of-chat', allowed_agents: names }] },
});

test('a schedule checks the allowed agents of its key again at each planned time', async () => {
  await using folder = await newFolder('projects');
  const path = join(folder.path, 'projects.json');
  await writeFile(path, JSON.stringify(chatWith('support')));
  await using harness = await createHarness({ env: { PAWL_PROJECTS: `@${path}` } });
  const [free, chat] = ['key-of-web', 'key-of-chat'].map((key) => apiClient(harness.url, key));
  await free!.call('POST', '/v1/agents', { body: { name: 'support', model: 'openai/test' } });
  const made = await chat!.call('POST', '/v1/schedules', {
    body: { every_seconds: 60, turn: { agent: 'support', input } },
  });
  expect(made.status).toBe(201);

  await harness.advance(60_000);
  await harness.fireSchedules();
  await writeFile(path, JSON.stringify(chatWith('sales')));
  harness.parts.reloadProjects(log);
  await harness.advance(60_000);
  await harness.fireSchedules();
  await harness.workUntilIdle();

  const { body } = await chat!.call<ScheduleResource>('GET', `/v1/schedules/${made.body.id}`);
  expect(body.last.map(({ error }) => [error?.code, error?.param])).toEqual([
    ['agent_not_allowed', 'agent'],
    [undefined, undefined],
  ]);
});

test('a key with allowed agents stops any schedule, and starts those of its agents', async () => {
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(chatWith('support')) } });
  const [free, chat] = ['key-of-web', 'key-of-chat'].map((key) => apiClient(harness.url, key));
  await free!.call('POST', '/v1/agents', { body: { name: 'support', model: 'openai/test' } });
  const turn = { model: 'openai/test', input };
  const made = await free!.call('POST', '/v1/schedules', { body: { every_seconds: 60, turn } });
  const change = async (body: object) =>
    describeRefusal(await chat!.call('PATCH', `/v1/schedules/${made.body.id}`, { body }));

  expect(await refusalOf(chat!, '/v1/schedules', { every_seconds: 60, turn })).toBe(
    '403 agent_not_allowed: turn.agent',
  );
  expect(await change({ enabled: false })).toBe('200 accepted');
  expect(await change({ enabled: true })).toBe('403 agent_not_allowed: turn.agent');
  expect(await change({ turn: { agent: 'support', input, seed: 1 } })).toBe(
    '403 agent_override_not_allowed: turn.seed',
  );
  expect(await change({ turn: { agent: 'support', input }, enabled: true })).toBe('200 accepted');
});
