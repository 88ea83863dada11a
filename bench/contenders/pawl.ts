import { fileURLToPath } from 'node:url';
import { type Dispatcher, Pool } from 'undici';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import type { Contender } from '../contender.ts';
import type { Ground } from '../ground/open-ground.ts';
import { startProgram } from '../ground/start-program.ts';
import { ANSWER, ROUNDS, turnRequest } from '../work.ts';

const TOOLS = fileURLToPath(new URL('../tools.ts', import.meta.url));
const CONNECTIONS = 1_000;

/** Pawl as `npm start` runs it, API and worker in one process; a client posts a turn and waits for its end. */
export async function pawl(ground: Ground, queue: 'redis' | 'postgres'): Promise<Contender> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await startProgram({
    file: 'services/standalone/main.ts',
    nodeOptions: profiling(ground.profileFolder, queue),
    env: { ...(await settings(ground, queue)), PORT: String(port) },
    readyUrl: `${url}/healthz`,
    folder: ground.folder,
  });
  const client = new Pool(url, { connections: CONNECTIONS });
  return {
    playTurn: () => playTurn(client),
    pids: { pawl: program.pid },
    close: async () => {
      await client.destroy();
      await program.stop();
    },
  };
}

async function settings({ postgres, redis, modelUrl }: Ground, queue: 'redis' | 'postgres') {
  await redis?.clear();
  return {
    DATABASE_URL: await postgres.freshDatabase(),
    ...(queue === 'redis' && redis ? { REDIS_URL: redis.url } : {}),
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: modelUrl,
    PAWL_TOOLS: TOOLS,
  };
}

function profiling(folder: string | undefined, queue: string): string[] {
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=pawl-${queue}.cpuprofile`] : [];
}

type Seen = { id: string; status: string; round: number; output: string | null };

async function playTurn(client: Pool): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const started = await ask(client, { method: 'POST', path: '/v1/turns', headers, body: JSON.stringify(turnRequest) });
  const ended = await ask(client, { method: 'GET', path: `/v1/turns/${started.id}?wait=60` });
  if (ended.status === 'completed' && ended.round === ROUNDS && ended.output === ANSWER) return;
  throw new Error(`A turn did not end as it should: ${JSON.stringify(ended).slice(0, 1_000)}`);
}

async function ask(client: Pool, request: Dispatcher.RequestOptions): Promise<Seen> {
  const { statusCode, body } = await client.request(request);
  if (statusCode < 300) return (await body.json()) as Seen;
  throw new Error(`${request.method} ${request.path} was answered ${statusCode}: ${await body.text()}`);
}
