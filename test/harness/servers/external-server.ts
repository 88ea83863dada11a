import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createServer, listen } from './create-server.ts';

/** The answer of the server. Null leaves the client waiting until the test calls `answer`. */
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | null;

/** One request that reached the server. `left` resolves when the client disconnected without an answer. */
export type ReceivedRequest = {
  headers: IncomingHttpHeaders;
  body: string;
  left: Promise<void>;
  answer(reply: Reply): void;
};

/**
 * Opens an HTTP server that is not Pawl's, on loopback: an HTTP tool or a webhook receiver that records its requests.
 */
export async function openExternalServer(
  reply: (number: number, path: string) => Reply = () => ({ status: 200, body: 'ok' }),
) {
  const caught: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const left = new Promise<void>((resolve) => {
      response.on('close', () => !response.writableFinished && resolve());
    });
    const answer = (later: Reply) => later && send(response, later);
    caught.push({ headers: request.headers, body, left, answer });
    answer(reply(caught.length, request.url ?? ''));
    for (const check of waiting) check();
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);

  return {
    url: `${origin}/`,
    caught,
    /** Returns the request of that number, from 1, as soon as it has arrived. */
    arrival: (number: number) =>
      new Promise<ReceivedRequest>((resolve) => {
        const check = () => {
          const arrived = caught[number - 1];
          if (arrived && waiting.delete(check)) resolve(arrived);
        };
        waiting.add(check);
        check();
      }),
    [Symbol.asyncDispose]: close,
  };
}

function send(response: ServerResponse, { status, body = '', headers = {} }: NonNullable<Reply>): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
