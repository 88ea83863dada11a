import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { chunksOf } from '#core/llm/http/byte-queue.ts';
import { type HttpAnswer, makeHttpClient } from '#core/llm/http/http-client.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const startServer = (listener: RequestListener) => listen(createServer(listener));

async function textOf({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(body)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a streamed body is sent while it is read', async () => {
  const heard = Promise.withResolvers<void>();
  await using server = await startServer(async (request, response) => {
    request.once('data', () => heard.resolve());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end(Buffer.concat(chunks));
  });
  const { post, close } = makeHttpClient();
  const body = async function* () {
    yield Buffer.from('first ');
    await heard.promise;
    yield Buffer.from('second');
  };

  const answer = await post({ url: `${server.origin}/x`, headers: {}, body: body() });

  expect(await textOf(answer)).toBe('first second');
  await close();
});

test('a streamed body that breaks is not sent whole', async () => {
  const broken = Promise.withResolvers<unknown>();
  await using server = await startServer(async (request) => {
    request.resume().on('error', broken.resolve);
  });
  const { post, close } = makeHttpClient();
  const body = async function* () {
    yield Buffer.from('first ');
    throw new Error('no more');
  };

  const sending = post({ url: `${server.origin}/x`, headers: {}, body: body() });

  await expect(sending).rejects.toThrow('fetch failed');
  expect(await broken.promise).toBeInstanceOf(Error);
  await close();
});

test('an answer before the end of a streamed body ends the body', async () => {
  const ended = Promise.withResolvers<void>();
  await using server = await startServer((_, response) => {
    response.writeHead(413, { connection: 'close' }).end('too large');
  });
  const { post, close } = makeHttpClient();
  const body = async function* () {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      ended.resolve();
    }
  };

  const answer = await post({ url: `${server.origin}/x`, headers: {}, body: body() });

  expect(answer.status).toBe(413);
  await ended.promise;
  await close();
});

test('a streamed body is not sent to the target of a redirect', async () => {
  await using server = await startWireServer({ status: 307, headers: { location: '/other' } }, { body: ['hello'] });
  const { post, close } = makeHttpClient();
  const body = async function* () {
    yield Buffer.from('{}');
  };

  const answer = await post({ url: `${server.origin}/x`, headers: {}, body: body() });

  expect(answer.status).toBe(307);
  expect(server.asked).toHaveLength(1);
  await close();
});
