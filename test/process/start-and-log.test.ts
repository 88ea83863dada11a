import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, inject } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { readableLine } from '#services/process/log.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { MIGRATION_NAMES } from '#test/harness/stores/migration-names.ts';
import { test } from '#test/harness/test.ts';
import { linesOf, untilLogged } from '#test/harness/until-logged.ts';

const MIGRATE = fileURLToPath(new URL('../../services/migrate/main.ts', import.meta.url));

test('turns from before the keys are logged at the start, and a project key reads them', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hello' });
  await harness.startTurn({ input: 'Hello again' });
  const start = (keys: string) => startProcess('api', { ...harness.env, PAWL_API_KEYS: keys });

  await using strange = await start('me:of-mine');
  const logged = await untilLogged(strange, 'turns.unreachable');
  await using adopting = await start('me:of-mine,default:of-old');
  const { url } = await untilLogged(adopting, 'process.ready');
  const found = await apiClient(String(url), 'of-old').call('GET', `/v1/turns/${id}`);

  expect(logged.msg).toBe(
    '2 turns belong to the project default (the project of turns created without keys), but no key belongs to that project. ' +
      'Add default:<a key> to PAWL_API_KEYS to reach them.',
  );
  expect(found).toMatchObject({ status: 200, body: { id } });
  expect(linesOf(adopting, 'turns.unreachable')).toEqual([]);
});

test('turns that need a key are logged at a start without keys', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'me:of-mine' } });
  await apiClient(harness.url, 'of-mine').startTurn({ input: 'Hello' });
  const { PAWL_API_KEYS, ...open } = harness.env as Record<string, string>;

  await using api = await startProcess('api', open);
  const logged = await untilLogged(api, 'turns.unreachable');

  expect(logged.msg).toBe(
    '1 turn belongs to the project me, which is not reachable without keys. Set PAWL_API_KEYS=me:<a key> to reach them.',
  );
});

test('migrate reports how many migrations it applied, and none the next time', async () => {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  const env = { ...surroundings(), DATABASE_URL: await createDatabase(inject('postgresUrl'), name) };
  const migrate = async (more = {}) =>
    (await promisify(execFile)(process.execPath, [MIGRATE], { env: { ...env, ...more } })).stdout;

  const first = JSON.parse(await migrate());
  const second = JSON.parse(await migrate());
  const readable = await migrate({ PAWL_LOG_FORMAT: 'text' });

  expect(first.applied).toEqual(MIGRATION_NAMES);
  expect(first.msg).toBe(`the database is up to date: ${MIGRATION_NAMES.length} migrations applied`);
  expect(second.msg).toBe('the database is already up to date');
  expect(readable).toMatch(/^\d\d:\d\d:\d\d info {2}the database is already up to date\n$/);
});

test('migrate reports in one sentence that a database belongs to another version', async () => {
  const name = `other_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(inject('postgresUrl'), name, 'pawl_template');
  const { db, close } = connect(url);
  await sql`insert into kysely_migration values ('0000-older', '2026-01-01')`.execute(db).finally(close);
  const env = { ...surroundings(), DATABASE_URL: url };

  const refusal = await promisify(execFile)(process.execPath, [MIGRATE], { env }).catch((error) => error);

  expect(refusal).toMatchObject({ code: 1, stdout: '' });
  expect(refusal.stderr).toMatch(
    /^The database was created by another version of Pawl .*0000-older.* Use a version that has it\.\n$/,
  );
});

test('a text log line has time, level, sentence, fields, stack and no control codes', () => {
  const err = { message: 'no', stack: 'Error: no\n    at somewhere' };
  const line = { time: 0, level: 40, part: 'api', pid: 7, path: '/v1\u001b[2J', err, msg: 'request\u0007 failed' };

  const plain = readableLine(JSON.stringify(line), false);
  const coloured = readableLine(JSON.stringify(line), true);

  expect(plain).toMatch(
    /^\d\d:\d\d:\d\d warn {2}request {2}failed {2}pid=7 path=\/v1 \[2J\n {4}Error: no\n {8}at somewhere\n$/,
  );
  expect(coloured).toContain('\u001b[33mwarn \u001b[0m');
});

test.each([
  ['message', { msg: 'refused\r\n00:00:00 info  all is well' }],
  ['field', { msg: 'refused', path: '/v1\n00:00:00 info  all is well\r' }],
  ['name of a field', { msg: 'refused', 'a\n00:00:00 info  all is well': 1 }],
])('a %s from outside cannot start a log line, and shows its line ends', (_, said) => {
  const readable = readableLine(JSON.stringify({ time: 0, level: 40, ...said }), false);

  expect(readable).toMatch(/^[^\r\n]*\\n00:00:00 info {2}all is well[^\r\n]*\n$/);
  expect(readable.match(/\\r/g) ?? []).toHaveLength(JSON.stringify(said).split('\\r').length - 1);
});
