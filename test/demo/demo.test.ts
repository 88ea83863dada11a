import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Runs the demo to its end. */
async function runDemo(env: Record<string, string> = {}) {
  const demo = spawn(process.execPath, ['demo/main.ts'], { cwd: ROOT, env: { ...process.env, ...env } });
  const ended = once(demo, 'close');
  const [output, complaints] = await Promise.all([text(demo.stdout), text(demo.stderr)]);
  const [exitCode] = await ended;
  return { output, complaints, exitCode };
}

test('the demo kills a worker in the middle and shows that nothing is lost or done twice', {
  timeout: 240_000,
}, async () => {
  const elsewhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };

  const { output, complaints, exitCode } = await runDemo(elsewhere);

  expect(complaints).toBe('');
  expect(exitCode).toBe(0);
  expect(output).toMatch(/SIGKILL: worker [12] \(pid \d+\) is dead, in the middle of round 3/);
  expect(output).toMatch(/round 3, attempt 2 · worker [12] asks the model/);
  expect(output).toMatch(/✓ checkpoint r4 · the turn is completed/);
  expect(output).toMatch(/webhook received: turn\.completed, its signature is right/);
  expect(output).toMatch(/model calls +4 +5 +round 3 again/);
  expect(output).toMatch(/book_flight +1 +1 +at_most_once/);
  expect(output).toMatch(/events +(\d+) +\1 +1 to \1, no gap, none twice/);
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stripVTControlCharacters(output)).toBe(output);
});
