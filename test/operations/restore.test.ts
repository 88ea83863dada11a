import { execFileSync } from 'node:child_process';
import { test } from 'vitest';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { startWork } from './backups/under-way.ts';

test('a folder of the embedded PostgreSQL, copied while it is stopped: turns under way go on from the copy', async () => {
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
