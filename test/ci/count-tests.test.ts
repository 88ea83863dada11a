import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '#test/harness/new-folder.ts';

type Tests = Record<string, 'passed' | 'failed' | 'skipped'>;

const ROOT = join(import.meta.dirname, '../..');
const onRedis = { 'BullMQ on Redis a turn runs': 'passed', 'a plain test': 'passed' } as const;
const leftOut = {
  'BullMQ on Redis (left out: no Redis here) a turn runs': 'skipped',
  'a plain test': 'passed',
} as const;

/** The count of CI over the reports of its runs; null stands for a run that ended without one. */
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

test('two runs are counted together where the second left out, with the reason, all that needs Redis', async () => {
  expect(await countTests(onRedis, leftOut)).toMatchObject({ status: 0, last: '3 passed, 0 failed, 1 skipped' });
});

test.each<[string, (Tests | null)[], string]>([
  ['a failed test of the first run', [{ ...onRedis, other: 'failed' }, leftOut], 'FAILED other'],
  ['a failed test of the second run', [onRedis, { ...leftOut, other: 'failed' }], 'FAILED other'],
  ['a Redis that was not hidden', [onRedis, onRedis], 'not left out, with the reason'],
  [
    'a suite that was left out without a word',
    [onRedis, { 'a plain test': 'passed' }],
    'not left out, with the reason',
  ],
  ['a first run without Redis', [leftOut, leftOut], 'left out of the run with Redis'],
  ['a second run without a report', [onRedis, null], 'ended without a report'],
  ['a run without tests', [{}, leftOut], 'no test was run'],
])('%s fails CI, and says so', async (_, runs, sentence) => {
  const { status, output } = await countTests(...runs);

  expect(status).toBe(1);
  expect(output).toContain(sentence);
});
