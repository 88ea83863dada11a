import type OpenAI from 'openai';
import { test as base } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openaiClient } from './responses/openai-client.ts';
import { openSocket, type Socket } from './responses/websocket/open-socket.ts';

type Fixtures = { harness: Harness; worker: AsyncDisposable; client: OpenAI; socket: Socket };

/**
 * A test that opens the parts that it names, and closes them at its end: a harness, a worker in the background, a client
 * of OpenAI, and a WebSocket with a worker. No two tests share a part.
 */
export const test = base.extend<Fixtures>({
  harness: async ({ task: _ }, use) => {
    await using harness = await createHarness();
    await use(harness);
  },
  worker: async ({ harness }, use) => {
    await using worker = await startBackgroundWorker(harness);
    await use(worker);
  },
  client: async ({ harness }, use) => use(openaiClient(harness)),
  socket: async ({ harness, worker: _ }, use) => {
    await using socket = await openSocket(harness);
    await use(socket);
  },
});
