import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { runStatement } from '#test/harness/stores/run-statement.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

const PARTS = ['api', 'worker', 'standalone', 'migrate'];

async function start(part: string, url: string) {
  const main = fileURLToPath(new URL(`../../services/${part}/main.ts`, import.meta.url));
  const env = { ...surroundings(), DATABASE_URL: url, PORT: '0' };
  return promisify(execFile)(process.execPath, [main], { env }).catch((error) => error);
}

test.each(PARTS)('%s ends its start in one sentence if the database has an edited migration', async (part) => {
  const url = await createTestDatabase();
  await runStatement(
    url,
    `update kysely_migration set name = '0001-pawl@0123456789abcdef'; alter table turns drop column priority cascade`,
  );

  const ended = await start(part, url);

  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stdout).not.toContain('process.ready');
  expect(ended.stderr).toMatch(
    /^The database was created by another version of Pawl \(its migration 0001-pawl differs .*\n$/,
  );
});

test.each(['api', 'worker'])('%s ends its start if the database lacks the schema of the queue', async (part) => {
  const url = await createTestDatabase();
  await runStatement(url, 'drop schema bullmq cascade');

  const ended = await start(part, url);

  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe('The database lacks tables of its queue (schema bullmq). Run `npm run migrate` first.\n');
});
