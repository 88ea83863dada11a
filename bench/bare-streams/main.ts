import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { sendDeltas } from '../streams/send-deltas.ts';

/** As little as a server of streams can do: it makes the deltas itself, and writes each to the readers of its turn. */
const readers = new Map<string, Set<SSEStreamingApi>>();

const app = new Hono();
app.get('/v1/turns/:id/events', (c) =>
  streamSSE(c, async (stream) => {
    const id = c.req.param('id');
    const ofTurn = readers.get(id) ?? new Set();
    readers.set(id, ofTurn.add(stream));
    await stream.writeSSE({ event: 'turn.started', data: JSON.stringify({ turn_id: id }) });
    await new Promise<void>((resolve) => stream.onAbort(resolve));
    ofTurn.delete(stream);
  }),
);
app.post('/send', async (c) => {
  const { turnIds, everyMs, forMs } = await c.req.json<{ turnIds: string[]; everyMs: number; forMs: number }>();
  const sent = await sendDeltas({ turns: turnIds.length, everyMs, forMs }, (turn, { offset, delta }) => {
    const id = turnIds[turn] ?? '';
    const event = { type: 'output_text.delta', turn_id: id, round: 1, attempt: 1, offset, delta };
    const data = JSON.stringify(event);
    for (const stream of readers.get(id) ?? []) void stream.writeSSE({ event: event.type, data });
  });
  return c.json({ sent });
});
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`bare streams listen on http://127.0.0.1:${port}`),
);

process.once('SIGTERM', () => {
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
});
