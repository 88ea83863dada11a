import { expect, test, vi } from 'vitest';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';
import { apiClient } from '#test/world/api-client.ts';
import { newFolder } from '#test/world/new-folder.ts';
import { scripted } from '#test/world/scripted.ts';
import { startProcess } from '#test/world/start-process.ts';

const FOREVER = { timeout: 120_000, interval: 200 };

test('while Postgres is away the API says 503; once it is back, every turn finishes by itself', {
  timeout: 180_000,
}, async () => {
  await using folder = await newFolder('away');
  const dataDir = folder.path;
  const port = await findFreePort();
  const first = await startPostgres({ dataDir, port, durable: false });
  await migrateAll(first.url);
  const env = { DATABASE_URL: first.url, PORT: '0' };
  await using api = await startProcess('api', env);
  await using _worker = await startProcess('worker', env);
  const { url } = await api.said(/listens/);
  const { call, startTurn } = apiClient(String(url));
  const slow = scripted({ rounds: [{ say: 'Hm.', think_ms: 700 }], answer: 'Here I am.', final: { think_ms: 700 } });
  const turns = await Promise.all(Array.from({ length: 5 }, () => startTurn({ model: 'sim/test', input: slow })));

  await first.stop();
  const away = await Promise.all(Array.from({ length: 30 }, () => call('GET', '/v1/turns')));
  const second = await startPostgres({ dataDir, port, durable: false });
  const ended = async () => {
    const found = await Promise.all(turns.map(({ id }) => call<{ status: string }>('GET', `/v1/turns/${id}`)));
    expect(found.map(({ body }) => body.status)).toEqual(turns.map(() => 'completed'));
  };
  await vi.waitFor(ended, FOREVER);

  expect(away.map(({ status }) => status)).toEqual(away.map(() => 503));
  expect(away[0]?.headers.get('retry-after')).toBe('1');
  await api.kill('SIGKILL');
  await _worker.kill('SIGKILL');
  await second.stop();
});
