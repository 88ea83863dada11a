import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { kindsFor } from '../faults/fault-kinds.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The kinds that are over within seconds. A long run has all kinds. */
const QUICK = /^(worker-(kill|roll)|api-kill|queue-(lost|doubled)|redis-kill|postgres-(restart|terminated|ack-lost))$/;

/** The timeout: a run settles in two minutes at most, after a last fault of a minute at most. */
const LONGEST_MS = 300_000;

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** Matches the broken promises in a report. */
const BROKEN = /^✗.*(\n {6}.*)*/gm;

async function runChaos(args: string[]) {
  const chaos = spawn(process.execPath, ['test/chaos/main.ts', ...args], { cwd: ROOT });
  const ended = once(chaos, 'close');
  const [output, complaints] = await Promise.all([text(chaos.stdout), text(chaos.stderr)]);
  const [exitCode] = await ended;
  return { output, complaints, exitCode };
}

test('a short run of chaos breaks no promise', { timeout: LONGEST_MS }, async () => {
  const queue = hasRedis ? 'redis' : 'postgres';
  const kinds = kindsFor(queue).filter((kind) => QUICK.test(kind));

  const plan = ['--turns', '30', '--faults', '8', '--seconds', '7', '--seed', '4', '--verdict', 'of-pawl'];
  const { output, complaints, exitCode } = await runChaos([...plan, '--queue', queue, '--only', kinds.join(',')]);

  expect({ exitCode, broken: output.match(BROKEN) }, `${output}${complaints}`).toEqual({ exitCode: 0, broken: null });
  expect(output).toMatch(/^lost 0, duplicated 0, stuck 0, at_most_once violations 0$/m);
});

test('a short run with failovers of both stores breaks no promise', { timeout: LONGEST_MS }, async () => {
  const queue = hasRedis ? 'redis' : 'postgres';
  const kinds = kindsFor(queue, 'failover').filter((kind) => kind.endsWith('-failover'));

  const plan = ['--turns', '30', '--faults', '4', '--seconds', '10', '--seed', '4', '--verdict', 'of-pawl'];
  const stores = ['--queue', queue, '--stores', 'failover', '--only', kinds.join(',')];
  const { output, complaints, exitCode } = await runChaos([...plan, ...stores]);

  expect({ exitCode, broken: output.match(BROKEN) }, `${output}${complaints}`).toEqual({ exitCode: 0, broken: null });
  expect(output).toMatch(/^lost 0, duplicated 0, stuck 0, at_most_once violations 0$/m);
  expect(output).toMatch(/^postgres-failover +[24] +[1-4] /m);
});

test('a fault without turns in progress posts some turns first', { timeout: LONGEST_MS }, async () => {
  const plan = ['--turns', '0', '--faults', '1', '--seconds', '1', '--only', 'postgres-ack-lost'];
  const { output, complaints, exitCode } = await runChaos([...plan, '--queue', 'postgres', '--verdict', 'of-pawl']);

  expect(exitCode, `${output}${complaints}`).toBe(0);
  expect(output).toMatch(/: [1-9]\d* turns, 1 faults/);
});

test('a mistake on the command line is answered with one sentence', async () => {
  const { complaints, exitCode } = await runChaos(['--only', 'worker-tickle']);

  expect(complaints).toMatch(/^--only worker-tickle: choose from worker-kill, .*\.\n$/);
  expect(exitCode).toBe(2);
});
