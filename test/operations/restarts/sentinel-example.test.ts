import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { spawnChild } from '#test/harness/parts/spawn-child.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const SCRIPTS = fileURLToPath(new URL('../../../examples/operations/compose/', import.meta.url));

test('the scripts of the Sentinel example replace and later rejoin a dead master', {
  timeout: 240_000,
}, async ({ skip }) => {
  const probe = await openRedis();
  await probe?.[Symbol.asyncDispose]();
  if (!probe) return skip('no redis-server on the PATH');
  await using folder = await newFolder('sentinel-example');
  await using opened = new AsyncDisposableStack();
  const [first, second, ...sentinels] = await Promise.all(Array.from({ length: 5 }, findFreePort));
  const start = (script: string, port: number, env: Record<string, string> = {}) =>
    startScript(opened, { folder: join(folder.path, String(port)), script, env: { PORT: String(port), ...env } });
  const self = { SELF: '127.0.0.1' };

  const master = await start('start-redis.sh', first!, self);
  await start('start-redis.sh', second!, { ...self, FOLLOW: '127.0.0.1', FOLLOW_PORT: String(first) });
  await untilAnswers(second!, ['role'], (role) => role[0] === 'slave' && role[3] === 'connected');
  for (const port of sentinels)
    await start('start-sentinel.sh', port, { MASTER: 'localhost', MASTER_PORT: String(first) });
  for (const port of sentinels) await untilAnswers(port, ['sentinel', 'master', 'pawl'], knowsAll);
  await master.kill('SIGKILL');

  await untilAnswers(second!, ['role'], (role) => role[0] === 'master');
  await start('start-redis.sh', first!, self);
  await untilAnswers(first!, ['role'], (role) => role[0] === 'slave' && role[3] === 'connected');
  const file = () => readFileSync(join(folder.path, String(first), 'redis.conf'), 'utf8');
  await waitUntil(() => expect(file()).toContain(`\nreplicaof 127.0.0.1 ${second}`));
});

type Script = { folder: string; script: string; env: Record<string, string> };

async function startScript(opened: AsyncDisposableStack, { folder, script, env }: Script) {
  await mkdir(folder, { recursive: true });
  const options = { stdio: 'ignore' as const, env: { ...process.env, DATA: folder, ...env } };
  const child = await spawnChild('sh', [join(SCRIPTS, script)], options);
  if (!child) throw new Error(`${script} cannot be run.`);
  opened.defer(() => child.stop());
  return child;
}

/** Returns whether a Sentinel can take part in a failover: it knows the other two and the replica. */
function knowsAll(fields: unknown[]): boolean {
  const fieldOf = (name: string) => fields[fields.indexOf(name) + 1];
  return fieldOf('num-other-sentinels') === '2' && fieldOf('num-slaves') === '1';
}

async function untilAnswers(port: number, command: [string, ...string[]], isSo: (answer: unknown[]) => boolean) {
  const client = new Redis({ port, retryStrategy: () => 100, maxRetriesPerRequest: 600 });
  client.on('error', () => {});
  const [name, ...args] = command;
  const ask = async () => expect(isSo((await client.call(name, args)) as unknown[])).toBe(true);
  await waitUntil(ask).finally(() => client.disconnect());
}
