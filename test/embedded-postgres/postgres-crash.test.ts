import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '#test/harness/wait-until.ts';
import { afterTest, isAlive, newFolder, type Owner, query, spawnOwner, start, startOwner } from './postgres-owner.ts';

test('the embedded server does not stop at the Ctrl-C of a terminal', async () => {
  const owner = await startOwner(newFolder());

  process.kill(-owner.process.pid!, 'SIGINT');
  await once(owner.lines, 'line');

  expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the embedded server starts after a kill that left its pid file', async () => {
  const dataDir = newFolder();
  const first = await start(dataDir);
  process.kill(first.pid, 'SIGKILL');
  await waitUntil(() => expect(isAlive(first.pid)).toBe(false));
  await first.stop();

  const second = await start(dataDir);

  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the embedded server starts if its pid file names an unrelated process', async () => {
  const dataDir = newFolder();
  await (await start(dataDir)).stop();
  const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  const { uid, gid } = statSync(join(dataDir, 'postgres', 'data'));
  const bystander = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {});
  afterTest(() => bystander.kill());
  writeFileSync(pidFile, `${bystander.pid}\n${dataDir}\n1\n5432\n\n127.0.0.1\n0 0\nready\n`);

  const pg = await start(dataDir);

  expect(await query(pg.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(isAlive(bystander.pid!)).toBe(true);
});

test('the embedded server ends after its owner is killed', async () => {
  const owner = await startOwner(newFolder());

  owner.process.kill('SIGKILL');

  await waitUntil(() => expect(isAlive(owner.pid)).toBe(false));
});

test('the embedded server stops if its owner exits without a stop', async () => {
  const owner = await startOwner(newFolder());

  owner.process.stdin!.end();
  await once(owner.process, 'exit');

  await waitUntil(() => expect(isAlive(owner.pid)).toBe(false));
});

test.skipIf(process.platform !== 'linux')('an owner takes over the server of a killed owner', async () => {
  const dataDir = newFolder();
  const owner = await startOwner(dataDir);
  await query(owner.url, 'create table kept as select 42 as answer');
  killWatcherOf(owner);
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');
  expect(isAlive(owner.pid)).toBe(true);

  const pg = await start(dataDir);

  expect(isAlive(owner.pid)).toBe(false);
  expect(await query(pg.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('a first start of the server that was killed is started again', async () => {
  const dataDir = newFolder();
  const owner = spawnOwner(dataDir);
  await waitUntil(async () => expect(await unfinishedIn(dataDir)).toHaveLength(1));
  owner.kill('SIGKILL');
  await once(owner, 'exit');

  const pg = await start(dataDir);

  expect(await query(pg.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(unfinishedIn(dataDir)).toEqual([]);
});

function killWatcherOf(owner: Owner): void {
  const { pid } = owner.process;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  for (const child of children.filter((one) => one !== owner.pid)) process.kill(child, 'SIGKILL');
}

function unfinishedIn(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'));
}
