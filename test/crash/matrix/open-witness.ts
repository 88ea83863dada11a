import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '#test/world/create-world.ts';
import type { CaughtCall } from '#test/world/mcp-stranger.ts';

/** One request that reached the tools or the receiver, and the id of what it is about. */
export type Seen = { about: string; path: string; headers: IncomingHttpHeaders; body: string };

export type Witness = Awaited<ReturnType<typeof openWitness>>;

const LOOK_EVERY_MS = 5;
const LATE_MS = 1_300;

/**
 * Tools and a webhook receiver that remember every request. The calls of a batch are answered one after the other, so
 * that each run saves its results alike. `/hang` never answers, but does what the test has said; `/gone` wants no more.
 */
export async function openWitness(world: World, mcpCalls: CaughtCall[]) {
  const seen: Seen[] = [];
  const hanging = new Map<string, () => unknown>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await text(request);
    const about = String(request.headers['pawl-turn-id'] ?? JSON.parse(body).data.id);
    seen.push({ about, path, headers: request.headers, body });
    if (path === '/hang') return void hanging.get(about)?.();
    if (path === '/late') await sleep(LATE_MS);
    while (await hasOpenBefore(world, String(request.headers['idempotency-key']))) await sleep(LOOK_EVERY_MS);
    response.statusCode = path === '/gone' ? 410 : 200;
    response.end(JSON.stringify({ done: path }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All that reached the tools and the receiver about a turn or an endpoint, the MCP server's calls too. */
    seenOf: (id: string) => [...seen, ...mcpCalls.map(seenByMcp)].filter(({ about }) => about === id),
    /** What happens while a call of this turn hangs. */
    whileHanging: (turnId: string, act: () => unknown) => void hanging.set(turnId, act),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function seenByMcp({ tool, meta }: CaughtCall): Seen {
  const headers = { 'idempotency-key': String(meta['pawl/idempotency_key']) };
  return { about: String(meta['pawl/turn_id']), path: `/${tool}`, headers, body: '' };
}

/** Whether a call that the model named before this one has no answer yet. */
async function hasOpenBefore({ db }: World, key: string): Promise<boolean> {
  const [turnId = '', round, id = ''] = key.split('.');
  const calls = db
    .selectFrom('tool_calls')
    .where('turn_id', '=', turnId)
    .where('round', '=', Number(round) || 0);
  const place = calls.select('index').where('id', '=', id);
  const open = calls.select('id').where('result', 'is', null).where('index', '<', place);
  return (await open.executeTakeFirst()) !== undefined;
}
