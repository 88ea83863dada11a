import { test as base } from '#test/harness/test.ts';
import { openaiClient } from './responses/openai-client.ts';
import { openSocket } from './responses/websocket/open-socket.ts';

/** A test that may use a client of OpenAI, or a WebSocket with a worker. Tests share no parts. */
export const test = base
  .extend('client', ({ harness }) => openaiClient(harness))
  .extend('socket', async ({ harness, worker: _ }, { onCleanup }) => {
    const socket = await openSocket(harness);
    onCleanup(() => socket[Symbol.asyncDispose]());
    return socket;
  });
