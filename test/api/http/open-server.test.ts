import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CONNECTION_BOUNDS } from '#core/bounds/connection-bounds.ts';
import { openServer, SERVER_TIMES, type ServerLimits } from '#services/api/http/server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { describeRefusal } from '../refusals.ts';

const RARELY = { connections: 100, ...SERVER_TIMES };

test.each([
  ['nothing', ''],
  ['half a request line', 'POST /v1/tu'],
  ['half a header', 'POST /v1/turns HTTP/1.1\r\nhost: localhost\r\ncontent-ty'],
])('a client that sends %s and no more is refused, and its connection closed', async (_, sent) => {
  await using server = await serve({ headersMs: 200, requestMs: 400 });

  const answer = parse(await text(server.send(sent)));

  expect(describeRefusal(answer)).toBe('408 request_timeout: null');
  expect(server.asked()).toBe(0);
});

test('a client that never sends the rest of its body is refused, and its connection closed', async () => {
  await using server = await serve({ headersMs: 200, requestMs: 400 });

  const socket = server.send('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"inp');

  expect(describeRefusal(parse(await text(socket)))).toBe('408 request_timeout: null');
});

test('a client that does not read its answer is disconnected', async () => {
  await using server = await serve({ idleMs: 300 });
  const socket = connect(server.port, '127.0.0.1');
  socket.pause();

  socket.write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n');

  await server.closed(1);
  socket.destroy();
});

test.each([
  ['a request line that is none', 'HELLO\r\n\r\n', '400 invalid_http: null'],
  ['a header that is none', 'GET / HTTP/1.1\r\nhost: localhost\r\nx y: z\r\n\r\n', '400 invalid_http: null'],
  [
    'headers over 16 KiB',
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    '431 headers_too_large: null',
  ],
  ['HTTP/1.1 without Host', 'GET / HTTP/1.1\r\n\r\n', '400 invalid_http: Host'],
  [
    'an expectation that is not 100-continue',
    'POST / HTTP/1.1\r\nhost: localhost\r\nexpect: x\r\ncontent-length: 2\r\n\r\n{}',
    '417 expectation_failed: Expect',
  ],
])('%s is refused in the envelope of all errors', async (_, sent, refusal) => {
  await using server = await serve({});

  const answer = parse(await text(server.send(sent)));

  expect(describeRefusal(answer)).toBe(refusal);
});

test.each([
  ['a POST', 1],
  ['two POSTs', 2],
])('%s with stray bytes after the body is answered first, then the bytes are refused', async (_, times) => {
  await using server = await serve({});
  const post = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}';

  const answers = (await text(server.send(`${post.repeat(times)}stray\r\n`))).split(/(?=HTTP\/1\.1 )/);

  expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual([
    ...Array(times).fill('HTTP/1.1 200 OK'),
    'HTTP/1.1 400 Bad Request',
  ]);
  expect(describeRefusal(parse(answers.at(-1)!))).toBe('400 invalid_http: null');
  expect(server.asked()).toBe(times);
});

test('a client that leaves after stray bytes closes its connection', async () => {
  await using server = await serve({});
  const socket = server.send('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\nstray\r\n');
  await once(socket, 'data');

  socket.destroy();

  await server.closed(1);
});

const linesOf = (answers: string[]) => answers.map((answer) => answer.split('\r\n')[0]);

test('of requests that are sent before any answer, those within the bound are answered, and the rest is refused once', async () => {
  await using server = await serve({});
  const most = CONNECTION_BOUNDS.requests;

  const sent = server.send('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(10 * most));
  const answers = (await text(sent)).split(/(?=HTTP\/1\.1 )/);

  expect(linesOf(answers)).toEqual([...Array(most).fill('HTTP/1.1 200 OK'), 'HTTP/1.1 400 Bad Request']);
  expect(parse(answers.at(-1)!).body.error.message).toContain('More than 32 requests came on this connection');
  expect(server.asked()).toBe(most);
});

test('a connection may carry any number of requests after one another', async () => {
  await using server = await serve({});
  const socket = server.send('');
  let answers = '';
  socket.on('data', (data) => {
    answers += data;
  });

  for (let number = 1; number <= 2 * CONNECTION_BOUNDS.requests; number += 1) {
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await waitUntil(() => expect(answers.match(/200 OK[^]*?\r\n\r\nok/g)).toHaveLength(number));
  }
  socket.destroy();
});

const CHUNKED = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n';

test('a body of too many tiny chunks is refused, and its connection closed', async () => {
  await using server = await serve({});

  const answer = parse(await text(server.send(CHUNKED + '1\r\n \r\n'.repeat(CONNECTION_BOUNDS.chunks + 1_000))));

  expect(describeRefusal(answer)).toBe('400 invalid_http: null');
  expect(answer.body.error.message).toContain('more than 10,000 chunks of less than 64 bytes');
});

test.each([
  ['tiny', ['a', 'ü', '👋'].map((part) => Buffer.from(part)), 1_000],
  ['large', [Buffer.alloc(100_000, 'x')], 20],
  ['mixed', [Buffer.from('a'), Buffer.alloc(5_000, 'y'), Buffer.from('b')], 300],
])('a body in %s chunks arrives whole', async (_, parts, times) => {
  await using server = await serve({});
  const chunks = Array.from({ length: times }, () => parts).flat();
  const socket = server.send(CHUNKED);

  for (const chunk of chunks) {
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    socket.write('\r\n');
  }
  socket.write('0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  socket.destroy();

  expect(String(answer)).toContain('200 OK');
  expect(server.bodies).toEqual([Buffer.concat(chunks).toString()]);
});

test('a connection whose request is still coming after its answer is closed at the bound on chunks', async () => {
  await using server = await serve({});
  const socket = server.send(`${CHUNKED.replace('POST / ', 'POST /unread ')}1\r\n \r\n`);
  await once(socket, 'data');

  socket.write('1\r\n \r\n'.repeat(2 * CONNECTION_BOUNDS.chunks));

  await server.closed(1);
});

test('HTTP/1.0 needs no Host', async () => {
  await using server = await serve({});

  expect(await text(server.send('GET / HTTP/1.0\r\n\r\n'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a connection too many is refused and does nothing; when another is closed, there is room again', async () => {
  await using server = await serve({ connections: 1 });
  const request = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
  const first = server.send(request);
  await once(first, 'data');

  const refused = parse(await text(server.send(request)));
  const asked = server.asked();
  first.destroy();
  await server.closed(2);
  const third = server.send(request);

  expect(describeRefusal(refused)).toBe('503 too_many_connections: null');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(asked).toBe(1);
  expect(String(await once(third, 'data'))).toContain('200 OK');
  third.destroy();
});

test.each(['GET', 'HEAD'])('a connection too many still gets the answer of %s /healthz', async (method) => {
  await using server = await serve({ connections: 1 });
  const asking = (asked: string) => `${asked} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const first = server.send(asking('GET /'));
  await once(first, 'data');

  const health = await text(server.send(asking(`${method} /healthz`)));
  const other = await text(server.send(asking(`${method} /healthz/more`)));

  expect(health).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(health.toLowerCase()).toContain('connection: close');
  expect(other).toMatch(/^HTTP\/1\.1 503 /);
  first.destroy();
});

/** A server of one route, and sockets to it. */
async function serve(limits: Partial<ServerLimits>) {
  let asked = 0;
  const bodies: string[] = [];
  const answer = async (request: Request) => {
    asked += 1;
    if (!request.url.endsWith('/unread')) bodies.push(await request.text());
    return new Response(request.url.endsWith('/large') ? 'x'.repeat(50_000_000) : 'ok');
  };
  const server = await openServer(answer, { host: '127.0.0.1', port: 0 }, { ...RARELY, ...limits });
  const { port } = server.address() as AddressInfo;
  let closed = 0;
  const looks = new Set<() => void>();
  server.on('connection', (socket: Socket) =>
    socket.once('close', () => {
      closed += 1;
      for (const look of looks) look();
    }),
  );
  return {
    port,
    asked: () => asked,
    bodies,
    send: (head: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(head);
      return socket;
    },
    /** Until so many connections are closed. */
    closed: (many: number) =>
      new Promise<void>((resolve) => {
        const look = () => closed >= many && resolve();
        looks.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      const over = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await over;
    },
  };
}

function parse(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  const pairs = headers.map((header): [string, string] => [header.split(': ')[0]!, header.split(': ')[1]!]);
  return { status: Number(line.split(' ')[1]), headers: new Headers(pairs), body: body ? JSON.parse(body) : null };
}
