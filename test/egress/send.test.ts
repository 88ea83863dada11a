import { text } from 'node:stream/consumers';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { egressTo, failureOf, requestTo } from './egress.ts';
import { startRawReceiver, startReceiver } from './receiver.ts';

test('a request arrives unchanged, and its answer is returned', async () => {
  const arrived: unknown[] = [];
  await using receiver = await startReceiver(async (request, response) => {
    const { method, url, headers } = request;
    arrived.push({ method, url, headers, body: await text(request) });
    response.writeHead(201, { 'X-Made': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end('grüße');
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(
    requestTo(`${receiver.url}/hook?a=b#c`, { body: '{"ä":1}', headers: { 'X-Key': 'k' } }),
  );

  expect(answer).toMatchObject({ status: 201, body: 'grüße', truncated: false, sent: true });
  expect(answer.headers).toMatchObject({ 'x-made': 'yes', 'set-cookie': 'a=1, b=2' });
  expect(arrived).toMatchObject([{ method: 'POST', url: '/hook?a=b', body: '{"ä":1}', headers: { 'x-key': 'k' } }]);
});

test('a caller cannot set headers that belong to the egress', async () => {
  const arrived: unknown[] = [];
  await using receiver = await startReceiver((request, response) => {
    arrived.push(request.headers);
    response.end();
  });
  await using egress = egressTo('127.0.0.1');
  const headers = { Host: 'admin.internal', 'Content-Length': '0', 'Transfer-Encoding': 'chunked', Connection: 'x' };

  await egress.send(requestTo(receiver.url, { headers: { ...headers, 'Accept-Encoding': 'gzip' }, body: 'body' }));

  expect(arrived).toMatchObject([
    { host: `127.0.0.1:${receiver.port}`, 'content-length': '4', 'accept-encoding': 'identity' },
  ]);
  expect(arrived[0]).not.toHaveProperty('transfer-encoding');
});

test.each([301, 302, 303, 307, 308])('a %i is an answer, and its redirect is never followed', async (status) => {
  let arrivals = 0;
  await using receiver = await startReceiver((_request, response) => {
    arrivals += 1;
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url));

  expect(answer).toMatchObject({ status, headers: { location: '/elsewhere' } });
  expect(arrivals).toBe(1);
});

test.each(['constructor', '__proto__', 'toString'])('a response header with the name %s does no harm', async (name) => {
  await using receiver = await startRawReceiver((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${name}: x\r\ncontent-length: 2\r\n\r\nok`));
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url));

  expect(answer).toMatchObject({ status: 200, body: 'ok' });
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('a request does not wait for another request to the same receiver', async () => {
  await using receiver = await startReceiver((request, response) => {
    if (request.url !== '/hangs') response.end('ok');
  });
  await using egress = egressTo('127.0.0.1');
  const caller = new AbortController();

  const hanging = failureOf(egress.send(requestTo(`${receiver.url}/hangs`, { signal: caller.signal })));
  const answer = await egress.send(requestTo(receiver.url));
  caller.abort();

  expect(answer.body).toBe('ok');
  expect(await hanging).toMatchObject({ kind: 'aborted' });
});

test('a connection is reused for the same receiver', async () => {
  await using receiver = await startReceiver((_request, response) => response.end('ok'));
  await using egress = egressTo('127.0.0.1');

  await egress.send(requestTo(receiver.url));
  await turnOfTheLoop();
  await egress.send(requestTo(receiver.url));

  expect(receiver.connections).toHaveLength(1);
});

test('proxies in the environment are ignored', async () => {
  await using proxy = await startReceiver((_request, response) => response.end('proxy'));
  await using receiver = await startReceiver((_request, response) => response.end('receiver'));
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url;
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url));
  for (const name of names) delete process.env[name];

  expect(answer.body).toBe('receiver');
  expect(proxy.connections).toHaveLength(0);
});
