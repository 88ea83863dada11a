import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { openEgress } from '#core/egress/open.ts';
import { parseEgressAllow } from '#core/egress/policy.ts';
import { makeFetch } from '#core/llm/ai-sdk/package/make-fetch.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { readProxies } from '#core/proxy.ts';
import { openForwardProxy, portOf } from '#test/harness/servers/forward-proxy.ts';
import { failureOf, requestTo } from './egress/egress.ts';
import { startReceiver } from './egress/receiver.ts';
import { startWireServer } from './llm/wire-server.ts';
import { selfSigned } from './webhooks/self-signed.ts';

const PROXY = 'http://proxy.test:3128';
const viaProxy = (env: Record<string, string>, url: string) => readProxies(env)(new URL(url))?.href ?? null;

test.each([
  ['HTTPS_PROXY serves https', { HTTPS_PROXY: PROXY }, 'https://model.test/', true],
  ['HTTPS_PROXY does not serve http', { HTTPS_PROXY: PROXY }, 'http://model.test/', false],
  ['HTTP_PROXY serves http', { HTTP_PROXY: PROXY }, 'http://model.test/', true],
  ['HTTP_PROXY serves https if HTTPS_PROXY is absent', { HTTP_PROXY: PROXY }, 'https://model.test/', true],
  ['the lower-case name is read', { https_proxy: PROXY }, 'https://model.test/', true],
  ['an empty variable counts as absent', { https_proxy: '', HTTPS_PROXY: PROXY }, 'https://model.test/', true],
  ['a proxy without a scheme is http', { HTTPS_PROXY: 'proxy.test:3128' }, 'https://model.test/', true],
  ['localhost is reached directly', { HTTP_PROXY: PROXY }, 'http://localhost:8080/', false],
  ['127.0.0.1 is reached directly', { HTTP_PROXY: PROXY }, 'http://127.0.0.1:8080/', false],
  ['::1 is reached directly', { HTTP_PROXY: PROXY }, 'http://[::1]:8080/', false],
])('%s', (_, env, url, isProxied) => {
  expect(viaProxy(env as Record<string, string>, url)).toBe(isProxied ? `${PROXY}/` : null);
});

test('a proxy variable in lower case takes precedence', () => {
  const env = { https_proxy: 'http://small.test', HTTPS_PROXY: PROXY, no_proxy: 'a.test', NO_PROXY: 'b.test' };

  expect(viaProxy(env, 'https://model.test/')).toBe('http://small.test/');
  expect([viaProxy(env, 'https://a.test/'), viaProxy(env, 'https://b.test/')]).toEqual([null, 'http://small.test/']);
});

test.each([
  ['*', ['http://a.test/', 'https://10.0.0.1/'], []],
  ['a.test', ['http://a.test/', 'http://x.a.test:81/', 'http://A.TEST./'], ['http://xa.test/', 'http://b.test/']],
  ['.a.test', ['http://a.test/', 'http://x.a.test/'], ['http://xa.test/']],
  ['*.a.test', ['http://x.a.test/'], ['http://a.test/']],
  ['a.test:8443', ['https://a.test:8443/'], ['https://a.test/']],
  ['a.test:443', ['https://a.test/'], ['http://a.test/']],
  ['b.test, a.test', ['http://a.test/', 'http://b.test/'], ['http://c.test/']],
  ['10.0.0.0/8', ['http://10.1.2.3/'], ['http://11.1.2.3/', 'http://ten.test/']],
  ['10.1.2.3', ['http://10.1.2.3:99/'], ['http://10.1.2.4/']],
  ['[fd00::1]:443', ['https://[fd00::1]/'], ['http://[fd00::1]/', 'https://[fd00::2]/']],
  ['fd00::/8', ['https://[fd00::1]/'], ['https://[2001:db8::1]/']],
])('NO_PROXY=%s excludes only its own hosts from the proxy', (noProxy, direct, proxied) => {
  const env = { HTTP_PROXY: PROXY, NO_PROXY: noProxy };

  expect(direct.filter((url) => viaProxy(env, url) !== null)).toEqual([]);
  expect(proxied.filter((url) => viaProxy(env, url) === null)).toEqual([]);
});

test('an invalid proxy URL stops the start, and the error hides its password', () => {
  for (const value of ['socks5://u:s3cret-word@proxy.test', 'http://', 'http://u:%zz@proxy.test'])
    expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(/^HTTPS_PROXY is not a supported proxy\. Give a URL/);
});

test('an HTTPS model request uses CONNECT, with the credentials of the proxy', async () => {
  const { key, cert } = selfSigned('model.test');
  setDefaultCACertificates([...getCACertificates('default'), cert]);
  const server = createServer({ key, cert }, (_request, response) => void response.end('{"ok":true}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await using proxy = await openForwardProxy({ 'model.test': (server.address() as AddressInfo).port });
  const client = makeHttpClient(readProxies({ HTTPS_PROXY: proxy.url.replace('//', '//me:p%40ss@') }));

  const { status } = await client.post({ url: 'https://model.test/v1/x', headers: {}, body: '{}' });

  expect([status, proxy.seen]).toEqual([200, ['CONNECT model.test:443']]);
  expect(proxy.passwords).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
  await client.close();
  server.closeAllConnections();
  server.close();
});

test('requests and uploads of an AI SDK package go through the proxy', async () => {
  await using server = await startWireServer();
  server.answer({ body: ['{}'] });
  await using proxy = await openForwardProxy({ 'model.test': portOf(server.origin) });
  const client = makeHttpClient(readProxies({ http_proxy: proxy.url }));
  const fetched = makeFetch(client.post, client.fetch);

  await (await fetched('http://model.test/chat', { method: 'POST', body: '{}' })).text();
  await (await fetched('http://model.test/upload', { method: 'POST', body: new TextEncoder().encode('{}') })).text();

  expect(proxy.seen).toEqual(['POST http://model.test/chat', 'POST http://model.test/upload']);
  await client.close();
});

test('an untrusted URL goes through the proxy, and only the proxy resolves it', async () => {
  await using receiver = await startReceiver((_request, response) => void response.end('there'));
  await using proxy = await openForwardProxy({ 'hooks.test': receiver.port });
  const egress = openEgress([], { proxyOf: readProxies({ HTTP_PROXY: proxy.url }) });

  const answer = await egress.send(
    requestTo('http://hooks.test/x', { headers: { 'Proxy-Authorization': 'Basic bWU=' } }),
  );

  expect([answer.status, answer.body, proxy.seen]).toEqual([200, 'there', ['POST http://hooks.test/x']]);
  expect(proxy.passwords).toEqual([undefined]);
  await egress.close();
});

test.each([
  'http://10.0.0.1/',
  'http://169.254.169.254/',
  'https://[fd00::1]/',
  'http://0x7f.1/',
  'http://[::ffff:10.0.0.1]/',
  'http://hooks.test:25/',
  'http://localhost/',
  'http://redis./',
  'http://redis/',
  'http://metadata.google.internal/',
  'http://printer.local./',
])('the untrusted %s is refused before it reaches the proxy', async (url) => {
  await using proxy = await openForwardProxy({});
  const egress = openEgress([], { proxyOf: readProxies({ HTTP_PROXY: proxy.url }) });

  const failure = await failureOf(egress.send(requestTo(url)));

  expect([failure.kind, failure.sent, proxy.seen]).toEqual(['blocked', false, []]);
  expect(failure.message).toContain('Ask the operator to allow it with PAWL_EGRESS_ALLOW');
  await egress.close();
});

test('PAWL_EGRESS_ALLOW allows a private name through the proxy by name only', async () => {
  await using receiver = await startReceiver((_request, response) => void response.end('there'));
  await using proxy = await openForwardProxy({ 'tools.internal': receiver.port, 'other.internal': receiver.port });
  const policy = parseEgressAllow('tools.internal,10.0.0.0/8');
  const egress = openEgress(policy, { proxyOf: readProxies({ HTTP_PROXY: proxy.url }) });

  const allowed = await egress.send(requestTo('http://tools.internal/'));
  const failure = await failureOf(egress.send(requestTo('http://other.internal/')));

  expect([allowed.status, failure.kind, proxy.seen]).toEqual([200, 'blocked', ['POST http://tools.internal/']]);
  await egress.close();
});

test('the addresses of a host in NO_PROXY are checked', async () => {
  await using proxy = await openForwardProxy({});
  const proxyOf = readProxies({ HTTP_PROXY: proxy.url, NO_PROXY: 'inside.test' });
  const lookup = async () => [{ address: '10.0.0.1', family: 4 }];
  const egress = openEgress([], { proxyOf, lookup });

  const failure = await failureOf(egress.send(requestTo('http://inside.test/')));

  expect([failure.kind, proxy.seen]).toEqual(['blocked', []]);
  await egress.close();
});

test('a proxy that refuses the host is a failed connection', async () => {
  await using proxy = await openForwardProxy({});
  const egress = openEgress([], { proxyOf: readProxies({ HTTPS_PROXY: proxy.url }) });

  const failure = await failureOf(egress.send(requestTo('https://hooks.test/')));

  expect([failure.kind, failure.sent, proxy.seen]).toEqual(['not-connected', false, ['CONNECT hooks.test:443']]);
  await egress.close();
});
