import { expect, test } from 'vitest';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('the API answers 503 while Postgres is down, and every turn finishes afterwards', {
  timeout: 180_000,
}, async () => {
  await using folder = await newFolder('away');
  await using postgres = await openPostgres({ folder: folder.path, durable: false });
  await migrateAll(postgres.url);
  const env = { DATABASE_URL: postgres.url, PORT: '0' };
  await using api = await startProcess('api', env);
  await using worker = await startProcess('worker', env);
  const { url } = await untilLogged(api, 'process.ready');
  const { call, startTurn } = apiClient(String(url));
  const slow = scripted({ rounds: [{ say: 'Hm.', think_ms: 700 }], answer: 'Here I am.', final: { think_ms: 700 } });
  const turns = await Promise.all(Array.from({ length: 5 }, () => startTurn({ model: 'sim/test', input: slow })));

  await postgres.stop();
  const away = await Promise.all(Array.from({ length: 30 }, () => call('GET', '/v1/turns')));
  await postgres.start();
  const ended = async () => {
    const found = await Promise.all(turns.map(({ id }) => call<{ status: string }>('GET', `/v1/turns/${id}`)));
    expect(found.map(({ body }) => body.status)).toEqual(turns.map(() => 'completed'));
  };
  await waitUntil(ended);

  expect(away.map(({ status }) => status)).toEqual(away.map(() => 503));
  expect(away[0]?.headers.get('retry-after')).toBe('1');
  await api.kill('SIGKILL');
  await worker.kill('SIGKILL');
});
