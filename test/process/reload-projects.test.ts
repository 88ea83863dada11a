import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '#services/process/log.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { linesOf, untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Opens a file of projects, with the setting that names the file. */
async function openFile(projects: object) {
  const folder = await newFolder('projects');
  const path = join(folder.path, 'projects.json');
  const write = (content: object | string) =>
    writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  await write(projects);
  return { write, env: { PAWL_PROJECTS: `@${path}` }, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const log = openLog('test', 'silent');

test('a reload applies new keys, scopes and bounds, and refuses removed keys', async () => {
  await using file = await openFile({ web: { keys: ['key-of-old', 'key-of-both'] } });
  await using harness = await createHarness({ env: file.env });
  const statusOf = async (key: string) => (await apiClient(harness.url, key).call('GET', '/v1/turns')).status;
  const before = await Promise.all(['key-of-old', 'key-of-both', 'key-of-new'].map(statusOf));

  const keys = [{ key: 'key-of-both', scopes: ['write'] }, 'key-of-new'];
  await file.write({ web: { keys, weight: 4, allowed_models: ['sim/*'] } });
  harness.parts.reloadProjects(log);

  expect(before).toEqual([200, 200, 401]);
  expect(await Promise.all(['key-of-old', 'key-of-both', 'key-of-new'].map(statusOf))).toEqual([401, 403, 200]);
  expect(harness.worker.projects.find('web')).toMatchObject({ weight: 4, allowedModels: ['sim/*'] });
  expect(harness.worker.redact('key-of-old, key-of-new')).toBe('[redacted], [redacted]');
});

test.each([
  ['with invalid JSON', '{"web":'],
  ['with an unknown field', { web: { keys: ['key-of-new'], quota: 1 } }],
  ['without any key', { web: {} }],
])('a file %s does not change the projects', async (_, content) => {
  await using file = await openFile({ web: { keys: ['key-of-web'], weight: 2 } });
  await using harness = await createHarness({ env: file.env });

  await file.write(content);
  harness.parts.reloadProjects(log);

  expect((await apiClient(harness.url, 'key-of-web').call('GET', '/v1/turns')).status).toBe(200);
  expect((await apiClient(harness.url, 'key-of-new').call('GET', '/v1/turns')).status).toBe(401);
  expect(harness.parts.projects.find('web').weight).toBe(2);
});

test('SIGHUP reloads the file in API and worker, and streams and turns continue', async () => {
  await using file = await openFile({ web: { keys: ['key-of-old'] } });
  await using harness = await createHarness({ env: file.env });
  await using api = await startProcess('api', harness.env);
  await using worker = await startProcess('worker', harness.env);
  const { url } = await untilLogged(api, 'process.ready');
  const old = apiClient(String(url), 'key-of-old');
  const input = scripted({ answer: 'A long answer that is told letter by letter.', piece_chars: 1 });
  const held = harness.holdModel();
  const { id } = await old.startTurn({ input });
  const stream = await fetch(`${url}/v1/turns/${id}/events`, {
    headers: { authorization: 'Bearer key-of-old', accept: 'text/event-stream' },
  });

  await waitUntil(async () => expect((await old.findTurn(id)).status).toBe('in_progress'));
  await file.write({ web: { keys: ['key-of-new'] } });
  for (const { pid } of [api, worker]) process.kill(pid, 'SIGHUP');
  await Promise.all([api, worker].map((one) => untilLogged(one, 'projects.reloaded', { projects: 1, keys: 1 })));
  const during = await apiClient(String(url), 'key-of-new').findTurn(id);
  held.open();
  const received = await stream.text();
  const fresh = apiClient(String(url), 'key-of-new');

  expect(during.status).toBe('in_progress');
  expect((await old.call('GET', `/v1/turns/${id}`)).status).toBe(401);
  expect(received).toContain('turn.completed');
  expect(await fresh.findTurn(id)).toMatchObject({ status: 'completed' });
  expect((await fresh.findTurn(id)).rounds).toHaveLength(1);

  await file.write('{"web":{"keys":["key-of-new"],"wieght":1}}');
  for (const { pid } of [api, worker]) process.kill(pid, 'SIGHUP');
  const lines = await Promise.all([api, worker].map((one) => untilLogged(one, 'projects.not_reloaded')));

  for (const { msg } of lines)
    expect(msg).toMatch(
      /^PAWL_PROJECTS\.web: unknown field “wieght”\. Known fields: .*\. The projects did not change\.$/,
    );
  expect((await fresh.call('GET', `/v1/turns/${id}`)).status).toBe(200);
  expect([api, worker].flatMap((one) => linesOf(one, 'process.stopping'))).toEqual([]);
});

test('SIGHUP logs that no file can be reloaded if the environment has the projects', async () => {
  await using harness = await createHarness({ env: { PAWL_PROJECTS: '{"web":{"keys":["key-of-web"]}}' } });
  await using api = await startProcess('api', harness.env);
  await untilLogged(api, 'process.ready');

  process.kill(api.pid, 'SIGHUP');

  expect((await untilLogged(api, 'projects.not_reloaded')).msg).toMatch(/^SIGHUP: PAWL_PROJECTS names no file/);
});
