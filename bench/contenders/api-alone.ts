import type { Contender, Entry, Mode, Site } from '../contender.ts';
import { startProgram } from '../ground/start-program.ts';
import { turnRequestOf } from '../work.ts';
import { openPawlClient, type PawlClient } from './pawl-client.ts';
import { startPawl } from './start-pawl.ts';

/** Turns that are polled, one after the other. */
const POLLED = 100;

/** What is asked of an API. */
export type Asked = 'POST' | 'GET';

/** Pawl's API with no worker behind it; a turn of the load is one request. */
export function pawlApi(asked: Asked, mode: Mode): Entry {
  const open = async (site: Site) => {
    const { url, pids, close } = await startPawl(site, { mode, parts: ['api'] });
    return askAgain(asked, site, { url, pids, close });
  };
  return { name: `pawl-${mode}, ${asked}`, kind: 'system', mode, open };
}

/** A bare Hono route with one statement behind it, answering bodies of the size of Pawl's. */
export function bareApi(asked: Asked): Entry {
  const open = async (site: Site) => {
    const program = await startProgram({
      file: 'bench/bare-api/main.ts',
      env: { DATABASE_URL: site.databaseUrl, TURN_LIKE: JSON.stringify(turnLike) },
      ready: /listens on (\S+)/,
      folder: site.ground.folder,
    });
    return askAgain(asked, site, { url: program.said, pids: { api: program.pid }, close: program.stop });
  };
  return { name: `bare Hono, ${asked}`, kind: 'limit', mode: null, open };
}

type Server = { url: string; pids: Record<string, number>; close(): Promise<void> };

async function askAgain(asked: Asked, { work }: Site, { url, pids, close }: Server): Promise<Contender> {
  const client = openPawlClient(url);
  const request = turnRequestOf(work);
  const post = () => client.post('/v1/turns', request);
  const turns = asked === 'POST' ? [] : await Promise.all(Array.from({ length: POLLED }, post));
  let polls = 0;
  const get = () => client.get(`/v1/turns/${turns[polls++ % POLLED]?.id}`);
  return {
    playTurn: async () => void (await (asked === 'POST' ? post() : get())),
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
