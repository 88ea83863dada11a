import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { repeat } from '#test/harness/repeat.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';

/** What a scripted server answers: bytes in the order and the portions given, and how the answer ends. */
export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  /** A promise is waited for before what follows is sent. */
  body?: (string | Uint8Array | Promise<unknown>)[];
  /** `end` closes properly, `cut` breaks the connection, `hang` keeps it open, `drip` sends comments for ever. */
  ending?: 'end' | 'cut' | 'hang' | 'drip';
};

export type Asked = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };

export type WireServer = AsyncDisposable & {
  origin: string;
  /** The requests so far. */
  asked: Asked[];
  /** How many connections were opened so far. */
  connections(): number;
  /** Settles when a client has gone away before its answer had ended. */
  left: Promise<void>;
  answer(answer: Answer): void;
  /** What requests get after the next one, one after the other. */
  answerNext(...answers: Answer[]): void;
};

/** A server on a real socket that gives these answers, one to each request, and the last one to all later requests. */
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
