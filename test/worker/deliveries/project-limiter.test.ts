import { expect, test } from 'vitest';
import { plainProject } from '#core/project.ts';
import { makeProjects } from '#services/process/projects.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('a project whose receivers all hang has three quarters of the places, and others are delivered to', async () => {
  const env = { PAWL_WORKER_CONCURRENCY: '8', PAWL_API_KEYS: 'a:key-of-a,b:key-of-b' };
  await using harness = await createHarness({ env, projects: makeProjects([plainProject('a'), plainProject('b')]) });
  const [a, b] = [apiClient(harness.url, 'key-of-a'), apiClient(harness.url, 'key-of-b')];
  let isHanging = true;
  const hang = () => (isHanging ? null : { status: 200 as const });
  await using one = await openExternalServer(hang);
  await using other = await openExternalServer(hang);
  await using healthy = await openExternalServer();
  await using _worker = await startBackgroundWorker(harness);
  for (let number = 1; number <= 5; number += 1) {
    for (const { url } of [one, other]) await a.startTurn({ input: 'Hi', webhook: { url: `${url}${number}` } });
  }
  await waitUntil(() => expect(one.caught.length + other.caught.length).toBe(6));
  await b.startTurn({ input: 'Hi', webhook: { url: healthy.url } });

  await healthy.arrival(1);
  const meanwhile = one.caught.length + other.caught.length;
  isHanging = false;
  for (const caught of [...one.caught, ...other.caught]) caught.answer({ status: 200 });

  expect(meanwhile).toBe(6);
});
