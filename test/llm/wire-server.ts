import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { repeat } from '#test/harness/repeat.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';

/** The answer of a scripted server: bytes in the given order and chunks, and the end of the answer. */
export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  /** The server waits for a promise before it sends the next chunk. */
  body?: (string | Uint8Array | Promise<unknown>)[];
  /** `end` closes properly, `cut` breaks the connection, `hang` keeps it open, `drip` sends comments permanently. */
  ending?: 'end' | 'cut' | 'hang' | 'drip';
};

export type Asked = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };

export type WireServer = AsyncDisposable & {
  origin: string;
  asked: Asked[];
  connections(): number;
  /** Resolves when a client has disconnected before the end of its answer. */
  left: Promise<void>;
  answer(answer: Answer): void;
  /** Sets the answers to the requests after the next request, in order. */
  answerNext(...answers: Answer[]): void;
};

/** Starts a server on a real socket that gives these answers, one to each request. The last answer is repeated. */
export async function startWireServer(...answers: Answer[]): Promise<WireServer> {
  const asked: Asked[] = [];
  const left = Promise.withResolvers<void>();
  let [script = { status: 500 }, ...next]: Answer[] = answers;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
    });
    response.on('close', () => !response.writableEnded && left.resolve());
    const now = script;
    script = next.shift() ?? script;
    await play(response, now);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  return {
    ...(await listen(server)),
    asked,
    connections: () => connections,
    left: left.promise,
    answer: (answer) => {
      script = answer;
      next = [];
    },
    answerNext: (...answers) => {
      next.push(...answers);
    },
  };
}

async function play(response: ServerResponse, { status = 200, headers, body = [], ending = 'end' }: Answer) {
  response.writeHead(status, headers ?? { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const part of body) {
    if (part instanceof Promise) await part;
    else await new Promise((resolve) => response.write(part, resolve));
  }
  if (ending === 'end') response.end();
  if (ending === 'cut') response.destroy();
  if (ending === 'drip') {
    response.on(
      'close',
      repeat(() => response.write(': still here\n\n'), 5),
    );
  }
}
