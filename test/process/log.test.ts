import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const LOG = new URL('../../services/process/log.ts', import.meta.url).href;

/** Runs a program with a log in `log`, and returns its lines and its exit code. */
async function printed(code: string): Promise<{ lines: Record<string, unknown>[]; exitCode: number }> {
  const script = `import { openLog } from '${LOG}'; const log = openLog('test', 'info', 'json'); ${code}`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const { stdout, code: exitCode = 0 } = await run.catch((error) => error);
  return {
    lines: stdout
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line)),
    exitCode,
  };
}

test.each([
  ['ends normally', '', 0],
  ['exits', 'process.exit(3);', 3],
  ['crashes', 'throw new Error("broken");', 1],
])('a process that %s has written all lines of its log, in order', async (_, ending, code) => {
  const { lines, exitCode } = await printed(`for (let n = 0; n < 2000; n += 1) log.info({ n }, 'line'); ${ending}`);

  expect(exitCode).toBe(code);
  expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 2000 }, (_, n) => n));
});

test('the log contains no key, at any depth', async () => {
  const { lines } = await printed(`
    const headers = { authorization: 'Bearer k', accept: '*/*' };
    log.child({ apiKey: 'k' }).warn({ err: Object.assign(new Error('no'), { headers }), at: [{ api_key: 'k' }] }, 'failed');
    log.info({ provider: 'openai' }, 'said {"apiKey": 1}');
  `);

  expect(lines).toMatchObject([
    {
      apiKey: '[Redacted]',
      err: { message: 'no', headers: { authorization: '[Redacted]', accept: '*/*' } },
      at: [{ api_key: '[Redacted]' }],
      msg: 'failed',
    },
    { provider: 'openai', msg: 'said {"apiKey": 1}' },
  ]);
});

test('a log line with a long text is cut, and keeps its first fields if it is too long', async () => {
  const { lines } = await printed(`
    log.warn({ event: 'a.b', output: 'x'.repeat(100_000) }, 'long');
    log.warn({ event: 'a.b', list: Array(100_000).fill('item') }, 'wide');
  `);

  const [long, wide] = lines;
  expect(String(long?.output)).toHaveLength(4_000);
  expect(wide).toEqual({
    level: 40,
    time: expect.any(Number),
    part: 'test',
    event: 'a.b',
    left_out: expect.any(Number),
    msg: 'wide',
  });
});
