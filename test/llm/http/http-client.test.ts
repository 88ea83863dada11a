import { getEventListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chunksOf } from '#core/llm/http/byte-queue.ts';
import { type HttpAnswer, makeHttpClient, urlBelow } from '#core/llm/http/http-client.ts';
import { pour, startRawReceiver } from '#test/egress/receiver.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

async function textOf({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(body)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const startServer = (listener: RequestListener) => listen(createServer(listener));

const sent = { headers: { 'content-type': 'application/json' }, body: '{"a":1}' };

test('a request is sent in one piece, headers and body', async () => {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('data', (data) => {
      heard.push(data.toString());
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { post, close } = makeHttpClient();

  const { port } = server.address() as AddressInfo;
  const answer = await post({ ...sent, url: `http://127.0.0.1:${port}/x` });

  expect(await textOf(answer)).toBe('hi');
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatch(/content-length: 7\r\n\r\n{"a":1}$/i);
  await close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

test.each([307, 308])('a %i to another path of the same server is followed, with body and key', async (status) => {
  await using server = await startWireServer({ status, headers: { location: '/other' } }, { body: ['hello'] });
  const { post, close } = makeHttpClient();

  const answer = await post({ ...sent, url: `${server.origin}/x`, headers: { 'x-api-key': 'key' } });

  expect(await textOf(answer)).toBe('hello');
  expect(server.asked).toMatchObject([
    { path: '/x' },
    { path: '/other', headers: { 'x-api-key': 'key' }, body: { a: 1 } },
  ]);
  await close();
});

test.each([301, 302, 303, 307, 308])(
  'a %i to another server is not followed, with neither key nor body',
  async (status) => {
    await using there = await startWireServer();
    await using here = await startWireServer({ status, headers: { location: `${there.origin}/other` } });
    const { post, close } = makeHttpClient();

    const answer = await post({ ...sent, url: `${here.origin}/x` }).catch((error: unknown) => error);

    const isKept = status === 307 || status === 308;
    expect(answer).toMatchObject(
      isKept ? { message: `a redirect to ${there.origin}, which is not followed` } : { status },
    );
    expect(there.asked).toEqual([]);
    await close();
  },
);

test('a server that always redirects to itself gets six requests', async () => {
  await using server = await startWireServer({ status: 307, headers: { location: '/x' } });
  const { post, close } = makeHttpClient();

  const answer = await post({ ...sent, url: `${server.origin}/x` });

  expect(answer.status).toBe(307);
  expect(server.asked).toHaveLength(6);
  await close();
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer in unrequested %s compression is decompressed', async (encoding, pack) => {
  await using server = await startWireServer();
  const packed = pack(Buffer.from('data: hello'.repeat(100)));
  server.answer({ headers: { 'content-encoding': encoding }, body: [packed.subarray(0, 9), packed.subarray(9)] });
  const { post, close } = makeHttpClient();

  const answer = await post({ ...sent, url: server.origin });

  expect(await textOf(answer)).toBe('data: hello'.repeat(100));
  expect(server.asked[0]!.headers['accept-encoding']).toBe('identity');
  await close();
});

test('accept-encoding is sent once as identity, with any operator header', async () => {
  await using server = await startServer((request, response) =>
    response.end(JSON.stringify(request.rawHeaders.filter((_, at, all) => all[at - 1] === 'accept-encoding'))),
  );
  const { post, close } = makeHttpClient();

  const answer = await post({ ...sent, headers: { 'accept-encoding': 'br' }, url: `${server.origin}/x` });

  expect(JSON.parse(await textOf(answer))).toEqual(['identity']);
  await close();
});

test('an absent server and a broken connection fail like in fetch', async () => {
  const server = await startWireServer({ body: ['half'], ending: 'cut' });
  const { post, close } = makeHttpClient();

  const answer = await post({ ...sent, url: server.origin });
  const cut = await textOf(answer).catch((error: unknown) => error);
  await server[Symbol.asyncDispose]();
  const refused = await post({ ...sent, url: server.origin }).catch((error: unknown) => error);

  expect(cut).toBeInstanceOf(TypeError);
  expect(cut).toMatchObject({ message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } });
  expect(refused).toBeInstanceOf(TypeError);
  expect(refused).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
  await close();
});

test('an abort ends a call with its reason: before, during and after the request', async () => {
  await using server = await startWireServer();
  await using silent = await startServer(() => undefined);
  server.answer({ body: ['half'], ending: 'hang' });
  const { post, close } = makeHttpClient();
  const caller = new AbortController();
  const reason = new Error('cancelled');

  const answer = await post({ ...sent, url: server.origin, signal: caller.signal });
  const unanswered = post({ ...sent, url: silent.origin, signal: caller.signal });
  caller.abort(reason);

  await expect(unanswered).rejects.toBe(reason);
  await expect(textOf(answer)).rejects.toBe(reason);
  await expect(post({ ...sent, url: server.origin, signal: caller.signal })).rejects.toBe(reason);
  await server.left;
  await close();
});

test('a slow reader gets the whole body, and only as much at once as it reads', async () => {
  const size = 8 * 1024 * 1024;
  await using server = await startServer((_request, response) => response.end(Buffer.alloc(size, 'x')));
  const { post, close } = makeHttpClient();

  const answer = await post({ ...sent, url: server.origin });
  // While the first answer is not read, a second answer has time to arrive.
  await textOf(await post({ ...sent, url: server.origin }));
  const reader = answer.body;
  const first = await reader.read();
  const rest = await textOf({ ...answer, body: reader });

  expect(first.value!.byteLength).toBeLessThan(1024 * 1024);
  expect(first.value!.byteLength + rest.length).toBe(size);
  await close();
});

test('calls leave no listener on a signal that outlives them', async () => {
  await using server = await startWireServer({ body: ['hi'] });
  const { post, close } = makeHttpClient();
  const { signal } = new AbortController();

  await textOf(await post({ ...sent, url: server.origin, signal }));

  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await close();
});

test.each([
  ['http://host', 'http://host/v1/messages'],
  ['http://host/', 'http://host/v1/messages'],
  ['http://host/gateway//', 'http://host/gateway/v1/messages'],
  ['http://host/gateway?api-version=3', 'http://host/gateway/v1/messages?api-version=3'],
])('the URL of a path below %s is %s', (baseUrl, url) => {
  expect(urlBelow(baseUrl, '/v1/messages')).toBe(url);
});

test('a server that sends informational responses without end is given up', async () => {
  await using flooding = await startRawReceiver((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'));
  const { post, close } = makeHttpClient();

  await expect(post({ ...sent, url: flooding.url })).rejects.toThrow('more than 1,000 informational responses (1xx)');
  await close();
});
