import { expect, test } from 'vitest';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { runScript } from './run-script.ts';

test('the example of responses loses all of Pawl in the middle, and ends with the text that is stored', {
  timeout: 240_000,
}, async () => {
  const { output, complaints, exitCode } = await runScript(['examples/responses.ts'], {
    PORT: String(await findFreePort()),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });

  expect(complaints).toBe('');
  expect(output).toContain('[SIGKILL: API, worker and PostgreSQL are gone]');
  expect(output).toMatch(/asking for what follows number \d+/);
  expect(output).toMatch(/\[completed\] (\d+) characters in deltas, \1 stored\nThey are the same\./);
  expect(exitCode).toBe(0);
});
