import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Harness } from '#test/harness/create-harness.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import type { ReceivedCall } from '#test/harness/servers/external-mcp-server.ts';

/** One request that reached the tools or the receiver, with the id of its turn or endpoint. */
export type Seen = { subjectId: string; path: string; headers: IncomingHttpHeaders; body: string };

export type Recorder = Awaited<ReturnType<typeof openRecorder>>;

const LOOK_EVERY_MS = 5;
const LATE_MS = 1_300;

/**
 * Opens tools and a webhook receiver that record every request. The calls of a batch are answered in turn, so that
 * every play saves its results alike. `/hang` never answers, but runs the function of the test. `/gone` refuses
 * permanently.
 */
export async function openRecorder(harness: Harness, mcpCalls: ReceivedCall[]) {
  const seen: Seen[] = [];
  const hanging = new Map<string, () => unknown>();
  let isOver = false;
  // A killed process may leave a request that reads the database while it is closed.
  const mustWait = async (key: string) => {
    try {
      return !isOver && (await hasOpenBefore(harness, key));
    } catch (error) {
      if (isOver) return false;
      throw error;
    }
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await text(request);
    const subjectId = String(request.headers['pawl-turn-id'] ?? JSON.parse(body).data.id);
    seen.push({ subjectId, path, headers: request.headers, body });
    if (path === '/hang') return void hanging.get(subjectId)?.();
    if (path.startsWith('/late')) await sleep(LATE_MS);
    while (await mustWait(String(request.headers['idempotency-key']))) await sleep(LOOK_EVERY_MS);
    response.statusCode = path === '/gone' ? 410 : 200;
    response.end(JSON.stringify({ done: path }));
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);

  return {
    url: origin,
    /** Returns all requests of a turn or an endpoint to the tools, the MCP server and the receiver. */
    seenOf: (id: string) => [...seen, ...mcpCalls.map(seenByMcp)].filter(({ subjectId }) => subjectId === id),
    /** Sets the function that runs while a call of this turn hangs. */
    whileHanging: (turnId: string, act: () => unknown) => void hanging.set(turnId, act),
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await close();
    },
  };
}

function seenByMcp({ tool, meta }: ReceivedCall): Seen {
  const headers = { 'idempotency-key': String(meta['pawl/idempotency_key']) };
  return { subjectId: String(meta['pawl/turn_id']), path: `/${tool}`, headers, body: '' };
}

/** Returns whether an earlier call of the same reply has no answer yet. */
async function hasOpenBefore({ db }: Harness, key: string): Promise<boolean> {
  const [turnId = '', round, id = ''] = key.split('.');
  const calls = db
    .selectFrom('tool_calls')
    .where('turn_id', '=', turnId)
    .where('round', '=', Number(round) || 0);
  const index = calls.select('index').where('id', '=', id);
  const open = calls.select('id').where('result', 'is', null).where('index', '<', index);
  return (await open.executeTakeFirst()) !== undefined;
}
