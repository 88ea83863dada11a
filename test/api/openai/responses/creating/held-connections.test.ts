import { once } from 'node:events';
import { type ClientRequest, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeHeldConnections } from '#services/api/openai/responses/creating/held-connections.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { createServer } from '#test/harness/servers/create-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';

test('the first of two connections to close leaves the response running', async ({ harness }) => {
  const turn = await harness.startTurn({ input: 'Hi' });
  await using holder = await openHolder(harness, (await loadTurn(harness.db, turn.id))!);
  const first = await holder.hold();
  await holder.hold();

  first.destroy();
  await holder.untilClosed(1);
  await harness.workUntilIdle();

  expect((await harness.findTurn(turn.id)).status).toBe('completed');
});

test('the last of two connections to close cancels the response', async ({ harness }) => {
  const turn = await harness.startTurn({ input: 'Hi' });
  await using holder = await openHolder(harness, (await loadTurn(harness.db, turn.id))!);
  const connections = [await holder.hold(), await holder.hold()];

  for (const connection of connections) connection.destroy();

  await waitUntil(async () => expect((await harness.findTurn(turn.id)).status).toBe('cancelled'));
});

/** Starts a server that holds each connection for one turn. */
async function openHolder({ db, parts, log }: Harness, turn: Turn) {
  const { pubsub, enqueue, admission, metrics, tracer, redact } = parts;
  const held = makeHeldConnections({
    db,
    pubsub,
    enqueue,
    admission,
    log,
    metrics,
    tracer,
    redact,
    isClosing: () => false,
  });
  let closed = 0;
  const server: Server = createServer((_, response) => {
    held.hold(response, turn, { goesOn: false });
    response.once('close', () => {
      closed += 1;
    });
    server.emit('held');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    hold: async (): Promise<ClientRequest> => {
      const isHeld = once(server, 'held');
      const connection = request({ port, agent: false }).on('error', () => {});
      connection.end();
      await isHeld;
      return connection;
    },
    untilClosed: (count: number) => waitUntil(() => expect(closed).toBe(count)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
