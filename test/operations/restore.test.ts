import { execFileSync } from 'node:child_process';
import { test } from 'vitest';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { startWork } from './backups/under-way.ts';

test('running turns continue from a copy of the stopped embedded PostgreSQL', async () => {
  await using folder = await newFolder('copied');
  await using restoredFolder = await newFolder('restored');
  await using source = await openPostgres({ folder: folder.path, durable: true });
  await migrateAll(source.url);
  await using work = await startWork(source.url, { redis: false });

  await work.killWorker();
  await source.stop();
  execFileSync('cp', ['-a', `${folder.path}/.`, restoredFolder.path]);
  await using restored = await openPostgres({ folder: restoredFolder.path, durable: true });

  await work.expectToGoOn(restored.url);
});
