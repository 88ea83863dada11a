import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a stranger answers; null leaves the caller waiting until the test answers with `answer`. */
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | null;

/** One request that reached a stranger. `left` resolves when the caller hung up without an answer. */
export type Caught = { headers: IncomingHttpHeaders; body: string; left: Promise<void>; answer(reply: Reply): void };

/** Somebody else's HTTP server on loopback, an HTTP tool or a webhook receiver, that remembers what reached it. */
export async function openStranger(reply: (number: number) => Reply = () => ({ status: 200, body: 'ok' })) {
  const caught: Caught[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const left = new Promise<void>((resolve) => {
      response.on('close', () => !response.writableFinished && resolve());
    });
    const answer = (given: Reply) => given && send(response, given);
    caught.push({ headers: request.headers, body, left, answer });
    answer(reply(caught.length));
    for (const look of waiting) look();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    caught,
    /** The request of that number, from 1, as soon as it is there. */
    arrival: (number: number) =>
      new Promise<Caught>((resolve) => {
        const look = () => {
          const arrived = caught[number - 1];
          if (arrived && waiting.delete(look)) resolve(arrived);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, { status, body = '', headers = {} }: NonNullable<Reply>): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
