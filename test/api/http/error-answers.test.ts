import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transientFaultOf } from '#core/postgres/retry-transient.ts';
import { makeApp } from '#services/api/app.ts';
import type { ApiContext } from '#services/api/context.ts';
import { makeApiKeys } from '#services/api/http/api-keys.ts';
import { openServer, SERVER_TIMES } from '#services/api/http/server.ts';
import type { ReadAnywhere } from '#services/api/read-anywhere.ts';
import { makeAvailability } from '#services/process/availability.ts';
import { makeProjects } from '#services/process/projects.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { describeRefusal } from '../refusals.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const LONG = 'y'.repeat(5_000);
const tool = (more: object) => ({ tools: [{ name: 'look_up', description: 'Looks something up.', ...more }] });
const taking = (parameters: object) => tool({ parameters: { type: 'object', ...parameters } });
const http = (url: string, headers = {}) => tool({ execution: { kind: 'http', url, headers } });

test.each<[string, object]>([
  ['a field', { [LONG]: 1 }],
  ['a field far inside', { provider_options: { [LONG]: { __proto_: 1 } }, metadata: { [LONG]: 1 } }],
  ['a model', { model: `${LONG}/x` }],
  ['a tool', { tools: [LONG] }],
  ['a choice', { ...tool({}), tool_choice: { type: 'specific', name: LONG } }],
  ['an MCP server', tool({ execution: { kind: 'mcp', server: LONG } })],
  ['a host', { webhook: { url: `http://10.0.0.1:${'0'.repeat(3_000)}22/` } }],
  ['a name with a dot', { webhook: { url: `http://${'a.'.repeat(1_500)}internal:22/` } }],
  ['a header', http('https://example.com/', { [LONG]: 'ö' })],
  ['a required property', taking({ required: [LONG] })],
  ['a property', taking({ properties: { [LONG]: { $ref: 'https://example.com/' } } })],
  ['a reference', taking({ properties: { a: { $ref: `#/$defs/${LONG}` } } })],
  ['a pattern', taking({ properties: { a: { pattern: `${LONG}(` } } })],
  ['a draft', taking({ $schema: LONG })],
])('a refusal shortens the text of the caller that it quotes: %s', async (_, body) => {
  const answer = await harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi', ...body } });

  expect(describeRefusal(answer)).toMatch(/^400 /);
  const { message, param } = (answer.body as { error: { message: string; param: string | null } }).error;
  expect(message.length).toBeLessThan(400);
  expect(param?.length ?? 0).toBeLessThan(600);
});

test.each([
  ['POST', '/v1/tool_outputs', { tool_outputs: [{ tool_call_id: LONG, output: 1 }] }],
  ['POST', '/v1/approvals', { approvals: [{ tool_call_id: LONG, decision: 'allow' }] }],
  ['GET', `/v1/turns?${LONG}=1`, undefined],
  ['GET', `/v1/tool_outputs/${LONG}`, undefined],
])('a refusal of %s %.20s is short', async (method, path, body) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  const place = path.replace(/v1\/(tool_outputs|approvals)/, `v1/turns/${id}/$1`);

  const answer = await harness.call<{ error: { message: string } }>(method, place, { body });

  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.body.error.message.length).toBeLessThan(300);
});

test.each([
  ['DELETE', '/v1/turns', 'GET, HEAD, POST'],
  ['PUT', '/v1/turns/turn_01kagz8m4pfvbte2n5q7rys3wx', 'DELETE, GET, HEAD'],
  ['GET', '/v1/turns/turn_01kagz8m4pfvbte2n5q7rys3wx/cancel', 'POST'],
  ['OPTIONS', '/v1/conversations', 'GET, HEAD, POST'],
  ['POST', '/healthz', 'GET, HEAD'],
  ['PATCH', '/openapi.json', 'GET, HEAD'],
])('a path without the requested method answers 405: %s %s', async (method, path, methods) => {
  const answer = await harness.call(method, path);

  expect(describeRefusal(answer)).toBe('405 method_not_allowed: null');
  expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(methods);
});

test.each([
  ['PUT /v1/turns', 'text/plain', 'POST and GET'],
  ['PUT /v1/turns', 'application/json', 'POST and GET'],
  ['POST /v1/turns/turn_x', 'text/plain', 'GET and DELETE'],
  ['PATCH /openapi.json', 'text/plain', 'GET'],
])('a wrong method is refused before its body is read: %s of %s', async (asked, type, methods) => {
  const [method = '', path = ''] = asked.split(' ');

  const answer = await harness.call(method, path, { body: '{', headers: { 'content-type': type } });

  expect(describeRefusal(answer)).toBe('405 method_not_allowed: null');
  expect(answer.body).toMatchObject({ error: { message: `This path accepts ${methods} only. Change the method.` } });
  expect(answer.headers.get('allow')).toContain('HEAD');
});

test.each(['/v1/turnss', '/v2/turns', '/openapi-json', '/inspector/nothing.js'])(
  '%s is answered with 404 as an unknown route',
  async (path) => {
    expect(describeRefusal(await harness.call('GET', path))).toBe('404 route_not_found: null');
  },
);

test('bytes that are not HTTP get an error in the usual envelope', async () => {
  const { hostname, port } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  socket.write('HELLO\r\n\r\n');

  expect(await text(socket)).toContain('{"error":{"type":"invalid_request_error","code":"invalid_http"');
});

test.each(['content-length: 1000', 'transfer-encoding: chunked'])(
  'a client that disconnects during its body (%s) is not logged as a database fault',
  async (framing) => {
    const { url, logged, close } = await serveLogging({} as ApiContext['db']);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const chunk = framing.startsWith('transfer') ? '5\r\n{"inp\r\n' : '{"inp';

    const head = `POST /v1/turns HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framing}`;
    socket.write(`${head}\r\nexpect: 100-continue\r\n\r\n${chunk}`);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await waitUntil(() => expect(logged).not.toEqual([]));
    await close();

    expect(logged).toEqual(['debug a client disconnected in the middle of its request']);
  },
);

test.each([
  ['53100', 'disk-full', 'The disk of the database is full.', 'free some space'],
  ['53300', 'too-many-connections', 'no more connections', 'max_connections'],
  ['53200', 'out-of-memory', 'out of memory', 'add memory'],
  ['40P01', 'conflict', 'Another request', 'because of a conflict'],
  ['ECONNREFUSED', 'away', 'cannot be reached', 'away'],
])('the answer and the log name the fault of the database: %s', async (code, kind, message, log) => {
  const error = Object.assign(new Error('as it is'), { code });
  const db = new Proxy({} as ApiContext['db'], {
    get() {
      throw error;
    },
  });
  const { url, logged, close } = await serveLogging(db);

  const response = await fetch(`${url}/v1/turns`);
  const body = (await response.json()) as { error: { message: string } };
  await close();

  expect(transientFaultOf(error)).toMatchObject({ kind });
  expect(describeRefusal({ ...response, status: response.status, headers: response.headers, body })).toBe(
    '503 service_unavailable: null',
  );
  expect(body.error.message).toContain(message);
  expect(logged).toEqual([expect.stringContaining(log)]);
});

test('an error caused by the request is not a transient fault of the database', () => {
  expect(transientFaultOf(Object.assign(new Error('twice'), { code: '23505' }))).toBeNull();
  expect(transientFaultOf(new Error('no code'))).toBeNull();
});

test('each key has its own limit of concurrent streams and long polls', async () => {
  const env = { PAWL_API_KEYS: 'alpha:key-of-alpha,alpha:second-key', PAWL_MAX_STREAMS: '2' };
  await using keyed = await createHarness({ env });
  const by = (key: string, more = {}) => ({ headers: { authorization: `Bearer ${key}`, ...more } });
  const first = by('key-of-alpha');
  const { body } = await keyed.call<{ id: string }>('POST', '/v1/turns', {
    ...first,
    body: { model: 'openai/test', input: 'Hi' },
  });
  const path = `/v1/turns/${body.id}`;
  const leaving = new AbortController();
  const stream = await fetch(`${keyed.url}${path}/events`, {
    ...by('key-of-alpha', { accept: 'text/event-stream' }),
    signal: leaving.signal,
  });
  const poll = keyed.call('GET', `${path}?wait=60`, first);
  await waitUntil(async () => expect((await keyed.call('GET', `${path}?wait=0.01`, first)).status).toBe(429));

  const refused = await keyed.call('GET', `${path}/events`, by('key-of-alpha', { accept: 'text/event-stream' }));
  const other = await keyed.call('GET', `${path}?wait=0.01`, by('second-key'));
  const plain = await keyed.call('GET', path, first);
  await keyed.workUntilIdle();
  await poll;
  leaving.abort();
  await stream.text().catch(() => {});

  expect(describeRefusal(refused)).toBe('429 too_many_streams: null');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect([other.status, plain.status]).toEqual([200, 200]);
  await waitUntil(async () => expect((await keyed.call('GET', `${path}?wait=0.01`, first)).status).toBe(200));
});

/** Starts an API over a database that the test supplies, and records its log lines. */
async function serveLogging(db: ApiContext['db']) {
  const logged: string[] = [];
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line);
    logged.push(`${pino.levels.labels[level]} ${msg}`);
  };
  const log = pino({ level: 'debug' }, { write });
  const deployment = { embedded: false, redis: false };
  const availability = makeAvailability({ db, jobQueue: { check: async () => [] }, deployment });
  const keys = makeApiKeys(() => [], '127.0.0.1');
  const readAnywhere: ReadAnywhere = (query) => query(db);
  const projects = makeProjects([]);
  const app = makeApp({ db, readAnywhere, availability, keys, projects, log } as unknown as ApiContext);
  const server = await openServer(app.fetch, { host: '127.0.0.1', port: 0 }, { ...SERVER_TIMES, connections: 100 });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    logged,
    close: async () => {
      const over = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await over;
    },
  };
}
