import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { afterTest, newFolder } from '../embedded-postgres/postgres-owner.ts';

type Line = Record<string, unknown> & { msg: string };

const MAIN = fileURLToPath(new URL('../../services/standalone/main.ts', import.meta.url));

/** Starts all parts in one process, like `npm start`, and returns its URL when it is ready. */
async function startPawl(dataDir: string, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...surroundings(), PORT: '0', PAWL_DATA_DIR: dataDir, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterTest(() => child.kill('SIGKILL'));
  const lines: Line[] = [];
  const heard = new EventEmitter();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    heard.emit('line');
  });
  const said = async (pattern: RegExp): Promise<Line> => {
    for (;;) {
      const line = lines.find(({ msg }) => pattern.test(msg));
      if (line) return line;
      await once(heard, 'line');
    }
  };
  const { url, metrics_url: metricsUrl } = await said(/pawl is ready/);
  return { child, lines, said, metricsUrl, ...apiClient(String(url)) };
}

function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}

test('one command runs a turn, stops cleanly at one Ctrl-C, and keeps its data', async () => {
  const dataDir = newFolder();
  const first = await startPawl(dataDir, { PAWL_METRICS_PORT: '0' });
  const { id } = await first.startTurn({ model: 'sim/demo', input: 'Say hello.' });
  const body = await first.untilEnded(id);
  const metrics = await (await fetch(`${first.metricsUrl}/metrics`)).text();

  first.child.kill('SIGINT');
  first.child.kill('SIGINT');
  const [code] = await once(first.child, 'exit');
  const second = await startPawl(dataDir);

  expect(first.lines[0]).toMatchObject({ event: 'process.starting', msg: `starting PostgreSQL in ${dataDir} …` });
  expect(body).toMatchObject({ status: 'completed' });
  expect(metrics).toContain('pawl_turns_total{project="default",status="completed"} 1');
  expect(code).toBe(0);
  expect(first.lines.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining([
      `PostgreSQL: embedded, in ${dataDir}`,
      'queue: on the same PostgreSQL',
      'providers: sim, sim-responses',
      'tools: no tools loaded',
      expect.stringMatching(/^pawl is ready on http:/),
      expect.stringMatching(/^stopping: /),
      'stopped',
    ]),
  );
  expect(await second.findTurn(id)).toMatchObject({ status: 'completed', output: body.output });
});

test('a killed embedded PostgreSQL is restarted on its folder, and turns continue', async () => {
  const dataDir = newFolder();
  const pawl = await startPawl(dataDir);
  const first = postmasterOf(dataDir);
  const slow = scripted({ rounds: [{ say: 'Hm.', think_ms: 500 }], answer: 'Here I am.' });
  const { id } = await pawl.startTurn({ model: 'sim/test', input: slow });

  process.kill(first, 'SIGKILL');
  await pawl.said(/The embedded PostgreSQL has ended\. Pawl restarts it\./);
  await waitUntil(async () => expect((await pawl.call('GET', '/readyz')).status).toBe(200));
  await waitUntil(async () => expect((await pawl.findTurn(id)).status).toBe('completed'));
  const second = postmasterOf(dataDir);
  pawl.child.kill('SIGINT');
  const [code] = await once(pawl.child, 'exit');

  expect(second).not.toBe(first);
  expect(code).toBe(0);
  expect(pawl.lines.filter((line) => 'err' in line)).toEqual([]);
  expect(pawl.lines.filter(({ msg }) => msg.includes('has ended'))).toHaveLength(1);
});

test('an embedded PostgreSQL that ended and lost its folder ends Pawl with a sentence', async () => {
  const dataDir = newFolder();
  const pawl = await startPawl(dataDir);
  const pid = postmasterOf(dataDir);

  // The folder is renamed at once: a PostgreSQL that loses single files may end before it is killed.
  renameSync(join(dataDir, 'postgres', 'data'), join(dataDir, 'postgres', 'lost'));
  process.kill(pid, 'SIGKILL');
  const [code] = await once(pawl.child, 'exit');

  expect(code).toBe(1);
  expect(pawl.lines.at(-1)!.msg).toBe(
    `The embedded PostgreSQL has ended, and its data in ${dataDir} was removed. ` +
      'Restore the folder, or set PAWL_DATA_DIR to a new folder, and start Pawl again.',
  );
});
