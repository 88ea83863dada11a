import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import {
  createSystemPostgres,
  hasSystemPostgres,
  runProgram,
  startSystemPostgres,
} from '../backups/system-postgres.ts';
import { startWork } from '../backups/under-way.ts';

describe.skipIf(!hasSystemPostgres)('with the programs of PostgreSQL', () => {
  describeQueues(({ redis }) => {
    test('running turns continue from a database that was restored with pg_dump', async () => {
      await using folder = await newFolder('dumped');
      await using server = await createSystemPostgres(folder.path);
      const source = await createDatabase(server.url, 'pawl');
      await migrateAll(source);
      await using work = await startWork(source, { redis });

      const file = join(folder.path, 'pawl.dump');
      runProgram('pg_dump', ['--format=custom', `--file=${file}`, source]);
      await work.killWorker();
      const restored = await createDatabase(server.url, 'restored');
      runProgram('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${restored}`, file]);

      await work.expectToGoOn(restored);
    });

    test('running turns continue from a server that was restored with pg_basebackup', async () => {
      await using folder = await newFolder('backed-up');
      await using copy = await newFolder('base');
      await using server = await createSystemPostgres(folder.path);
      const source = await createDatabase(server.url, 'pawl');
      await migrateAll(source);
      await using work = await startWork(source, { redis });

      const options = ['--wal-method=stream', '--checkpoint=fast', '--no-sync'];
      runProgram('pg_basebackup', [`--dbname=${server.url}`, `--pgdata=${join(copy.path, 'data')}`, ...options]);
      await work.killWorker();
      await using restored = await startSystemPostgres(copy.path);

      await work.expectToGoOn(restored.url.replace('/postgres', '/pawl'));
    });
  });

  test('calls after the backup are repeated with the same Idempotency-Key', async () => {
    await using folder = await newFolder('earlier');
    await using server = await createSystemPostgres(folder.path);
    await using recorder = await openToolRecorder();
    const source = await createDatabase(server.url, 'pawl');
    await migrateAll(source);
    await using before = await createHarness({ env: { DATABASE_URL: source } });
    const execution = { kind: 'http', url: `${recorder.url}/book` };
    const turn = await before.startTurn({
      input: scripted({ rounds: [{ tools: [{ name: 'book', arguments: {} }] }], answer: 'Booked.' }),
      tools: [{ name: 'book', description: 'Books what is counted', execution, effect: 'at_most_once' }],
    });
    await before.workOnce();

    const file = join(folder.path, 'pawl.dump');
    runProgram('pg_dump', ['--format=custom', `--file=${file}`, source]);
    await before.workUntilIdle();
    const later = await before.startTurn({ input: scripted({ rounds: [], answer: 'Later.' }) });
    const restored = await createDatabase(server.url, 'restored');
    runProgram('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${restored}`, file]);
    const open = await rowsOf(restored, queryOf('docs/backups.md'));
    await using after = await createHarness({ env: { DATABASE_URL: restored } });
    await after.workUntilIdle();

    expect(open).toEqual([{ id: turn.id, name: 'book' }]);
    expect(await after.findTurn(turn.id)).toMatchObject({ status: 'completed', output: 'Booked.' });
    expect(recorder.calls).toHaveLength(2);
    expect(new Set(recorder.calls.map(({ key }) => key)).size).toBe(1);
    expect((await after.call('GET', `/v1/turns/${later.id}`)).status).toBe(404);
  });
});

function queryOf(path: string): string {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  return text.split('```sql\n')[1]!.split('```')[0]!;
}

async function rowsOf(url: string, query: string): Promise<unknown[]> {
  const sql = postgres(url, { max: 1 });
  try {
    return [...(await sql.unsafe(query))];
  } finally {
    await sql.end();
  }
}
