import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { apiClient } from '#test/world/api-client.ts';
import { afterTest, newFolder } from './postgres-world.ts';

const MAIN = fileURLToPath(new URL('../../services/standalone/main.ts', import.meta.url));

/** Starts everything in one process, as `npm start` does; answers its URL once it is ready. */
async function startPawl(dataDir: string) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, HOME, PORT: '0', PAWL_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterTest(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line);
    if (url) return { child, ...apiClient(url) };
  }
  throw new Error('Pawl ended before it was ready');
}

test('one command runs a turn; one Ctrl-C under npm stops it cleanly, and the data is there next time', async () => {
  const dataDir = newFolder();
  const first = await startPawl(dataDir);
  const { id } = await first.startTurn({ model: 'sim/demo', input: 'Say hello.' });
  const body = await first.untilEnded(id);

  first.child.kill('SIGINT');
  first.child.kill('SIGINT');
  const [code] = await once(first.child, 'exit');
  const second = await startPawl(dataDir);

  expect(body).toMatchObject({ status: 'completed' });
  expect(code).toBe(0);
  expect(await second.findTurn(id)).toMatchObject({ status: 'completed', output: body.output });
});
