import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '#test/harness/new-folder.ts';

type Tests = Record<string, 'passed' | 'failed' | 'skipped'>;

const ROOT = join(import.meta.dirname, '../..');
const REASON = '(left out: no Redis here)';
const onRedis: Tests = {
  'BullMQ on Redis a turn runs': 'passed',
  'Redis alone a script': 'passed',
  'a plain test': 'passed',
};
const onPostgres: Tests = {
  ...{ 'BullMQ on Postgres a turn runs': 'passed', [`Redis alone ${REASON} a script`]: 'skipped' },
  'a plain test': 'passed',
};
const e2e: Tests = { 'a page shows a turn': 'passed' };

/** Runs the count of CI over the reports of its runs. Null is a run that ended without a report. */
async function countTests(...runs: (Tests | null)[]) {
  await using folder = await newFolder('reports');
  const files = runs.map((tests, index) => {
    const file = join(folder.path, `${index}.json`);
    const assertionResults = Object.entries(tests ?? {}).map(([fullName, status]) => ({ fullName, status }));
    if (tests)
      writeFileSync(file, JSON.stringify({ testResults: [{ name: 'a.test.ts', status: 'passed', assertionResults }] }));
    return file;
  });
  const { status, stdout } = spawnSync(process.execPath, ['.ci/count-tests.js', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, output: stdout, last: stdout.trim().split('\n').at(-1) };
}

test('CI counts its runs together if the last run skips only tests for Redis', async () => {
  expect(await countTests(onRedis, e2e, onPostgres)).toMatchObject({
    status: 0,
    last: '6 passed, 0 failed, 1 skipped',
  });
});

test.each<[string, (Tests | null)[], string]>([
  ['a failed test of the first run', [{ ...onRedis, other: 'failed' }, e2e, onPostgres], 'FAILED a.test.ts other'],
  ['a failed test of the second run', [onRedis, { other: 'failed' }, onPostgres], 'FAILED a.test.ts other'],
  ['a failed test of the last run', [onRedis, e2e, { ...onPostgres, other: 'failed' }], 'FAILED a.test.ts other'],
  ['a Redis that was not hidden', [onRedis, e2e, onRedis], 'ran on Redis in the run without Redis'],
  ['a suite that did not run on PostgreSQL', [onRedis, e2e, { 'a plain test': 'passed' }], 'ran on Redis only'],
  [
    'a suite that did not run on Redis',
    [onRedis, e2e, { ...onPostgres, 'BullMQ on Postgres another turn runs': 'passed' }],
    'another turn runs: ran on PostgreSQL only',
  ],
  [
    'a suite for Redis that was left out without a reason',
    [onRedis, e2e, { 'BullMQ on Postgres a turn runs': 'passed' }],
    'not left out, with the reason',
  ],
  [
    'a suite for Redis that was left out with Redis',
    [{ ...onRedis, [`Redis alone ${REASON} a script`]: 'skipped' }, e2e, onPostgres],
    'left out of the run with Redis',
  ],
  ['a first run without Redis', [onPostgres, e2e, onPostgres], 'no test ran on Redis'],
  ['a last run without a report', [onRedis, e2e, null], 'ended without a report'],
  ['a run without tests', [{}, e2e, onPostgres], 'no test was run'],
])('CI names %s and fails', async (_, runs, sentence) => {
  const { status, output } = await countTests(...runs);

  expect(status).toBe(1);
  expect(output).toContain(sentence);
});
