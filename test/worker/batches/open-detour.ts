import { type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import { createServer, listen } from '#test/harness/servers/create-server.ts';

/** A server between a worker and its model. */
export type Detour = AsyncDisposable & {
  /** Leads to the server at an address from now on, and returns the address of the detour. */
  leadTo(baseUrl: string): string;
  /** Decides by its path whether a request gets 503. Such requests are in `refused`. */
  refuse(isRefused: (path: string) => boolean): void;
  refused: string[];
};

/** Opens a server that forwards requests, except those that the test refuses. */
export async function openDetour(): Promise<Detour> {
  const refused: string[] = [];
  let isRefused: (path: string) => boolean = () => false;
  let target = '';
  const server = await listen(
    createServer((request, response) => {
      const path = request.url ?? '';
      if (!isRefused(path)) return forward(request, response, target);
      refused.push(path);
      request.resume();
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"message":"Away."}}');
    }),
  );
  return {
    refused,
    leadTo(baseUrl) {
      const { origin, pathname } = new URL(baseUrl);
      target = origin;
      return server.origin + pathname.replace(/\/$/, '');
    },
    refuse(decide) {
      isRefused = decide;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function forward(request: IncomingMessage, response: ServerResponse, target: string): void {
  const { method = 'GET', headers, url } = request;
  const onward = open(new URL(url ?? '', target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  request.pipe(onward);
}
