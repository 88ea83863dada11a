import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { startSimulator } from '#simulator/start-simulator.ts';
import { type Gate, makeGate } from '../gate.ts';
import { createServer, listen } from './create-server.ts';

/** A placeholder for the number of the request in its round, from 1. So a repeated request gets another answer. */
export const WHICH_TRY = '{{try}}';

/** A simulated model that may give a different answer when a request is repeated. */
export type ChangingModel = AsyncDisposable & {
  baseUrl: string;
  /** Holds the next answers until the test releases them. */
  hold: Gate['close'];
};

export async function openChangingModel(): Promise<ChangingModel> {
  const gate = makeGate();
  const simulator = await startSimulator({ onRequest: gate.pass });
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers['x-client-request-id']);
    const [turnId, round] = id.split('.');
    const which = (asked.get(`${turnId}.${round}`) ?? 0) + 1;
    asked.set(`${turnId}.${round}`, which);
    // The client may have been killed.
    passOn(request, response, { id, which, url: `${simulator.baseUrl}/chat/completions` }).catch(() => {});
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    baseUrl: `${origin}/v1`,
    hold: gate.close,
    [Symbol.asyncDispose]: async () => {
      await close();
      await simulator.stop();
    },
  };
}

type Asked = { id: string; which: number; url: string };

async function passOn(request: IncomingMessage, response: ServerResponse, { id, which, url }: Asked): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const body = (await text(request)).replaceAll(WHICH_TRY, String(which));
  const headers = { 'content-type': 'application/json', 'x-client-request-id': id };
  const answer = await fetch(url, { method: 'POST', headers, body, signal: gone.signal });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  await pipeline(Readable.from(answer.body ?? []), response);
}
