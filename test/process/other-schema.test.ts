import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { startProgram, surroundings } from '#test/harness/parts/start-program.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { MIGRATION_NAMES } from '#test/harness/stores/migration-names.ts';
import { runStatement } from '#test/harness/stores/run-statement.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { untilLogged } from '#test/harness/until-logged.ts';

/** The additions of a migration as a later version may have it. */
const NEWER = `
  alter table turns add column sample text not null default 'new';
  create table samples (id text primary key);
  insert into kysely_migration values ('9000-sample@0123456789abcdef', '2026-01-01T00:00:00.000Z')`;

const greeting = { model: 'sim/demo', input: scripted({ answer: 'Hello.' }) };
const greeted = { status: 'completed', output: 'Hello.' };

const PARTS = ['api', 'worker', 'standalone', 'migrate'];

async function start(part: string, url: string) {
  const main = fileURLToPath(new URL(`../../services/${part}/main.ts`, import.meta.url));
  const env = { ...surroundings(), DATABASE_URL: url, PORT: '0' };
  return promisify(execFile)(process.execPath, [main], { env }).catch((error) => error);
}

const OTHER = { edited: '0001-pawl@0123456789abcdef', foreign: '0000-older@0123456789abcdef' };
const REFUSED = {
  edited:
    '(its migration 0001-pawl differs from the migration of this version). Restore that file of the release, or use ' +
    'the version that created the database.',
  foreign: '(it has the migration 0000-older, which this version does not have). Use a version that has it.',
};

function createEmptyDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'), `empty_${randomBytes(6).toString('hex')}`);
}

async function startStandalone(url: string) {
  const program = await startProgram({
    file: 'services/standalone/main.ts',
    env: { DATABASE_URL: url, PORT: '0' },
    ready: /"event":"process\.ready","url":"([^"]+)"/,
    output: { onLine: () => {} },
  });
  return {
    program,
    client: apiClient(program.address),
    [Symbol.asyncDispose]: async () => void (await program.kill('SIGKILL')),
  };
}

test.each(PARTS.flatMap((part) => (['edited', 'foreign'] as const).map((kind) => ({ part, kind }))))(
  '$part ends its start in one sentence if the database has a migration that is $kind',
  async ({ part, kind }) => {
    const url = await createTestDatabase();
    await runStatement(
      url,
      `update kysely_migration set name = '${OTHER[kind]}' where name like '0001-%'; alter table turns drop column priority cascade`,
    );

    const ended = await start(part, url);

    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stdout).not.toContain('process.ready');
    expect(ended.stderr).toBe(`The database was created by another version of Pawl ${REFUSED[kind]}\n`);
  },
);

test.each(['api', 'worker'])('%s ends its start if the database is older', async (part) => {
  const url = await createEmptyDatabase();

  const ended = await start(part, url);

  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(`The database lacks ${MIGRATION_NAMES.join(', ')}. Run \`npm run migrate\` first.\n`);
});

test('standalone migrates an older database at its start', async () => {
  const url = await createEmptyDatabase();

  await using standalone = await startStandalone(url);

  expect(await standalone.client.untilEnded((await standalone.client.startTurn(greeting)).id)).toMatchObject(greeted);
});

test('all parts work on a database that a newer version has extended', async () => {
  await using harness = await createHarness({ env: { DATABASE_URL: await createTestDatabase() } });
  const url = harness.env.DATABASE_URL;
  await runStatement(url, NEWER);

  const migrated = await start('migrate', url);
  await using standalone = await startStandalone(url);
  const first = await standalone.client.startTurn(greeting);
  const alone = await standalone.client.untilEnded(first.id);
  await standalone.program.stop();
  await using api = await startProcess('api', harness.env);
  await using _worker = await startProcess('worker', harness.env);
  const client = apiClient(String((await untilLogged(api, 'process.ready')).url));
  const second = await client.startTurn({ input: scripted({ answer: 'Hello.' }) });

  expect(migrated.stdout).toContain('the database is already up to date');
  expect(api.lines.map(({ msg }) => msg)).toContain(
    'the database has 9000-sample of a newer version: go back one release at most',
  );
  expect(alone).toMatchObject(greeted);
  expect(await client.untilEnded(second.id)).toMatchObject({ status: 'completed', output: 'Hello.' });
});

test.each(['migrate', 'standalone'])('%s names a migration that fails', async (part) => {
  const url = await createEmptyDatabase();
  await runStatement(url, 'create table rounds (id text)');

  const ended = await start(part, url);

  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toBe(
    'The migration 0001-pawl failed (42P07: relation "rounds" already exists). The database is unchanged. Correct ' +
      'the cause, or start the version before and report the failure.\n',
  );
});

test('migrate ends in one sentence if another session locks the database too long', async () => {
  const url = await createTestDatabase();
  const sql = postgres(url, { max: 1 });
  const locking = await sql.reserve();
  await locking`begin`;
  await locking`lock table kysely_migration in access exclusive mode`;

  const ended = await start('migrate', url);
  await locking`commit`;
  locking.release();
  await sql.end();

  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(
    'A statement on PostgreSQL at DATABASE_URL waited too long (55P03). Wait for other migrations and long ' +
      'transactions, then start again.\n',
  );
});

test.each(['api', 'worker'])('%s ends its start if the database lacks the schema of the queue', async (part) => {
  const url = await createTestDatabase();
  await runStatement(url, 'drop schema bullmq cascade');

  const ended = await start(part, url);

  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe('The database lacks tables of its queue (schema bullmq). Run `npm run migrate` first.\n');
});
