import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { startSimulator } from '#simulator/start-simulator.ts';
import { createServer, listen } from './create-server.ts';

/** A simulated model that pauses in the middle of its first reply until the test lets it continue. */
export type HeldModel = AsyncDisposable & { baseUrl: string; goOn: () => void };

/** Starts the model. It sends so many pieces of its first reply before it pauses. */
export async function openHeldModel(pieces: number): Promise<HeldModel> {
  const simulator = await startSimulator();
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${simulator.baseUrl}/chat/completions`;
    const answer = await fetch(url, { method: 'POST', headers, body: await text(request) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    await pipeline(Readable.from(holdBehind(answer, pieces, held)), response).catch(() => {});
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    baseUrl: `${origin}/v1`,
    goOn,
    [Symbol.asyncDispose]: async () => {
      goOn();
      await close();
      await simulator.stop();
    },
  };
}

/** Forwards the events of a stream, and pauses after so many events with content. */
async function* holdBehind(answer: Response, pieces: number, held: Promise<void>): AsyncGenerator<string> {
  const events = (await answer.text()).split(/(?<=\n\n)/);
  let said = 0;
  for (const event of events) {
    yield event;
    if (/"content":\s*"[^"]/.test(event)) said += 1;
    if (said === pieces) await held;
  }
}
