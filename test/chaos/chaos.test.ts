import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { kindsFor } from '../../chaos/fault-kinds.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What is over within seconds; a long run has all of them. */
const QUICK = /^(worker-(kill|roll)|api-kill|queue-(lost|doubled)|redis-kill|postgres-(restart|terminated|ack-lost))$/;

async function runChaos(args: string[]) {
  const chaos = spawn(process.execPath, ['chaos/main.ts', ...args], { cwd: ROOT });
  const ended = once(chaos, 'close');
  const [output, complaints] = await Promise.all([text(chaos.stdout), text(chaos.stderr)]);
  const [exitCode] = await ended;
  return { output, complaints, exitCode };
}

test('a short run of chaos breaks no promise', { timeout: 120_000 }, async () => {
  const queue = spawnSync('redis-server', ['--version']).status === 0 ? 'redis' : 'postgres';
  const kinds = kindsFor(queue).filter((kind) => QUICK.test(kind));

  const plan = ['--turns', '30', '--faults', '8', '--seconds', '7', '--seed', '4'];
  const { output, complaints, exitCode } = await runChaos([...plan, '--queue', queue, '--only', kinds.join(',')]);

  expect(complaints).toBe('');
  expect(output).toMatch(/^lost 0, duplicated 0, stuck 0, at_most_once violations 0$/m);
  expect(output).not.toMatch(/^✗/m);
  expect(exitCode).toBe(0);
});

test('a mistake on the command line is one sentence', async () => {
  const { complaints, exitCode } = await runChaos(['--only', 'worker-tickle']);

  expect(complaints).toMatch(/^--only worker-tickle: choose from worker-kill, .*\.\n$/);
  expect(exitCode).toBe(2);
});
