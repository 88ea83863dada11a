import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Builds a program that counts its log writes while it runs these statements. */
const counting = (rest: string) => `
  import fs from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  const { write } = fs;
  let writes = 0;
  fs.write = (...args) => {
    writes += 1;
    return write(...args);
  };
  const { openLog } = await import('#services/process/log.ts');
  const log = openLog('test', 'info', 'json');
  ${rest}`;

const run = async (rest: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', counting(rest)], {
    cwd: ROOT,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

test('log lines of a moment are written together, and an idle process does not write', async () => {
  const lines = await run(`
    for (let index = 0; index < 20; index += 1) log.info({ index }, 'said');
    await sleep(300);
    const busy = writes;
    await sleep(500);
    log.info({ busy, idle: writes - busy }, 'counted');`);

  expect(lines.slice(0, -1).map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(lines.at(-1).busy).toBeLessThanOrEqual(2);
  expect(lines.at(-1).idle).toBe(0);
});

test('log lines that arrive during a slow write are written after it', async () => {
  const lines = await run(`
    const counted = fs.write;
    const begun = Promise.withResolvers();
    fs.write = (...args) => {
      begun.resolve();
      setTimeout(() => counted(...args), 200);
    };
    log.info('first');
    await begun.promise;
    log.info('second');
    while (writes < 2) await sleep(10);
    log.info({ writes }, 'counted');`);

  expect(lines.map(({ msg }) => msg)).toEqual(['first', 'second', 'counted']);
  expect(lines.at(-1).writes).toBeGreaterThanOrEqual(2);
});

test('an exit writes the buffered log lines', async () => {
  const lines = await run(`log.info('last'); process.exit(0);`);

  expect(lines).toEqual([expect.objectContaining({ msg: 'last', part: 'test' })]);
});
