import { test as base } from '#test/harness/test.ts';
import { openaiClient } from './responses/openai-client.ts';
import { openSocket } from './responses/websocket/open-socket.ts';

/** A test that can also take a client of OpenAI, and a WebSocket with a worker. No two tests share a part. */
export const test = base
  .extend('client', ({ harness }) => openaiClient(harness))
  .extend('socket', async ({ harness, worker: _ }, { onCleanup }) => {
    const socket = await openSocket(harness);
    onCleanup(() => socket[Symbol.asyncDispose]());
    return socket;
  });
