import { join } from 'node:path';
import { startProgram } from '#test/harness/parts/start-program.ts';
import type { Contender, ContenderSetup, Entry } from '../contender.ts';
import type { Mode } from '../mode.ts';
import { turnRequestOf } from '../work.ts';
import { openPawlClient, type PawlClient } from './pawl-client.ts';
import { startPawl } from './start-pawl.ts';

/** Turns that are polled, one after the other. */
const POLLED = 100;

/** The request that is measured. */
export type RequestMethod = 'POST' | 'GET';

/** Pawl's API with no worker behind it; a turn of the load is one request. */
export function pawlApi(method: RequestMethod, mode: Mode): Entry {
  const open = async (setup: ContenderSetup) => {
    const { url, pids, close } = await startPawl(setup, { mode, parts: ['api'] });
    return repeatRequest(method, setup, { url, pids, close });
  };
  return { name: `pawl-${mode}, ${method}`, kind: 'system', mode, open };
}

/** A bare Hono route with one statement behind it, answering bodies of the size of Pawl's. */
export function bareApi(method: RequestMethod): Entry {
  const open = async (setup: ContenderSetup) => {
    const program = await startProgram({
      file: 'bench/bare-api/main.ts',
      env: { DATABASE_URL: setup.databaseUrl, TURN_LIKE: JSON.stringify(turnLike) },
      ready: /listens on (\S+)\n/,
      output: { file: join(setup.harness.folder, 'bare-api.log') },
    });
    return repeatRequest(method, setup, { url: program.address, pids: { api: program.pid }, close: program.stop });
  };
  return { name: `bare Hono, ${method}`, kind: 'limit', mode: null, open };
}

type Server = { url: string; pids: Record<string, number>; close(): Promise<void> };

async function repeatRequest(
  method: RequestMethod,
  { work }: ContenderSetup,
  { url, pids, close }: Server,
): Promise<Contender> {
  const client = openPawlClient(url);
  const request = turnRequestOf(work);
  const post = () => client.post('/v1/turns', request);
  const turns = method === 'POST' ? [] : await Promise.all(Array.from({ length: POLLED }, post));
  let polls = 0;
  const get = () => client.get(`/v1/turns/${turns[polls++ % POLLED]?.id}`);
  return {
    playTurn: async () => void (await (method === 'POST' ? post() : get())),
    pids,
    close: () => closeAll(client, close),
  };
}

async function closeAll(client: PawlClient, close: () => Promise<void>): Promise<void> {
  await client.close();
  await close();
}

/** What Pawl answers to the `POST`, but for id and input. */
const turnLike = {
  object: 'turn',
  ...{ conversation_id: 'conv_01k00000000000000000000000', status: 'queued', model: 'openai/bench' },
  ...{ round: 0, phase: null, last_event: 1, output: null, rounds: [], required_action: null },
  ...{ incomplete_details: null, error: null, warnings: [], metadata: {} },
  usage: {
    ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0, cached_input_tokens: 0, reasoning_tokens: 0 },
    ...{ llm_calls: 0, tool_calls: 0 },
  },
  ...{ created_at: '2026-01-01T00:00:00.000Z', started_at: null, completed_at: null },
};
