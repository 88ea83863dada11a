import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeRefusal } from '../../refusals.ts';

const MIB = 1024 * 1024;

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

test.each(['{', '', 'Hi', '{"input":}', "{'input':'Hi'}", '{"input":"Hi"}}', '\u0000'])(
  'a body that is not valid JSON is refused: %j',
  async (body) => {
    const refusal = describeRefusal(await harness.call('POST', '/v1/turns', { body }));

    expect(refusal).toBe('400 invalid_json: null');
  },
);

test.each(['[]', '"Hi"', 'null', '5', 'true'])('a body that is not an object is refused: %s', async (body) => {
  const refusal = describeRefusal(await harness.call('POST', '/v1/turns', { body }));

  expect(refusal).toMatch(/^400 invalid_value: /);
});

test('a number that overflows is refused, and not read as null', async () => {
  const body = '{"model":"openai/test","input":"Hi","limits":{"deadline_seconds":1e400}}';

  const refusal = describeRefusal(await harness.call('POST', '/v1/turns', { body }));

  expect(refusal).toBe('400 invalid_value: limits.deadline_seconds');
});

test.each<[string, (many: number) => object, number, string]>([
  ['a list of messages', (many) => ({ input: Array(many).fill(0) }), 10_001, 'input'],
  ['a list of tools', (many) => ({ tools: Array(many).fill(0) }), 129, 'tools'],
  ['a list of words', (many) => ({ allowed_capabilities: Array(many).fill(0) }), 33, 'allowed_capabilities'],
  [
    'the words of a tool',
    (many) => ({ tools: [{ name: 'a', capabilities: Array(many).fill(0) }] }),
    33,
    'tools[0].capabilities',
  ],
  [
    'the events of a webhook',
    (many) => ({ webhook: { url: 'https://example.com', events: Array(many).fill(0) } }),
    33,
    'webhook.events',
  ],
])('%s that is too long is refused before its items are checked', async (_, bodyOf, tooLong, param) => {
  const post = async (many: number) => {
    const body = { model: 'openai/test', input: 'Hi', ...bodyOf(many) };
    return describeRefusal(await harness.call('POST', '/v1/turns', { body }));
  };

  expect(await post(tooLong)).toMatch(`400 invalid_value: ${param}`);
  expect(await post(tooLong)).not.toContain(`${param}[0]`);
  expect(await post(250_000)).toBe('400 json_too_large: null');
});

test('a URL longer than 4,096 characters is refused', async () => {
  const url = `https://example.com/${'a'.repeat(4_096)}`;
  const tool = { name: 'look_up', description: 'Looks something up.', execution: { kind: 'http', url } };
  const post = async (more: object) =>
    describeRefusal(await harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi', ...more } }));

  expect(await post({ webhook: { url } })).toBe('400 invalid_value: webhook.url');
  expect(await post({ tools: [tool] })).toBe('400 invalid_value: tools[0].execution.url');
  expect(describeRefusal(await harness.call('POST', '/v1/webhook_endpoints', { body: { url } }))).toBe(
    '400 invalid_value: url',
  );
});

test('an object with more than 10,000 keys is refused', async () => {
  const output = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, 0]));

  const body = { model: 'openai/test', input: 'Hi', provider_options: { output } };

  expect(describeRefusal(await harness.call('POST', '/v1/turns', { body }))).toBe('400 json_too_large: null');
});

test('a large body of valid values is accepted', async () => {
  const body = { model: 'openai/test', input: 'Hi', provider_options: { rows: Array(99_000).fill(0) } };

  expect((await harness.call('POST', '/v1/turns', { body })).status).toBe(202);
});

test('a body of 1 MiB is accepted, and a body with one byte more is refused', async () => {
  const bodyOf = (bytes: number) => {
    const empty = JSON.stringify({ model: 'openai/test', input: 'Hi', instructions: '' });
    return `${empty.slice(0, -2)}${'x'.repeat(bytes - empty.length)}"}`;
  };

  const [fits, isOver, isFarOver] = await Promise.all(
    [MIB, MIB + 1, 20 * MIB].map((bytes) => harness.call('POST', '/v1/turns', { body: bodyOf(bytes) })),
  );

  expect(fits!.status).toBe(202);
  expect(describeRefusal(isOver!)).toBe('413 body_too_large: null');
  expect(describeRefusal(isFarOver!)).toBe('413 body_too_large: null');
  expect(isOver!.headers.get('connection')).toBe('close');
});

test('a body without a declared length is refused when it exceeds 1 MiB', async () => {
  const { hostname, port } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  const head = 'POST /v1/turns HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n';
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  for (let chunk = 0; chunk < 20; chunk += 1) socket.write(`10000\r\n${' '.repeat(65_536)}\r\n`);
  const answer = await text(socket);

  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain('"code":"body_too_large"');
});

test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json'])(
  'a body with the content type %s is refused',
  async (type) => {
    const body = new Blob([JSON.stringify({ model: 'openai/test', input: 'Hi' })]);
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await fetch(`${harness.url}/v1/turns`, { method: 'POST', headers, body });

    const refusal = describeRefusal({ ...response, ...(await read(response)) });

    expect(refusal).toBe('415 unsupported_media_type: null');
  },
);

test('a body that is nested too deep is refused in any field', async () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const bodies = [
    `{"model":"openai/test","input":"Hi","provider_options":{"x":${nested(100)}}}`,
    `{"input":${nested(1000)}}`,
    nested(100_000),
    `{"a":`.repeat(10_000),
  ];

  const answers = await Promise.all(bodies.map((body) => harness.call('POST', '/v1/turns', { body })));

  expect(answers.map(describeRefusal)).toEqual([
    '400 json_too_deep: null',
    '400 json_too_deep: null',
    '400 json_too_deep: null',
    '400 invalid_json: null',
  ]);
});

test.each([
  ['{"__proto__":{"model":"openai/test"},"input":"Hi"}', '__proto__'],
  ['{"model":"openai/test","input":"Hi","metadata":{"__proto__":"x"}}', 'metadata.__proto__'],
  [
    '{"model":"openai/test","input":"Hi","provider_options":{"a":[{"__proto__":1}]}}',
    'provider_options.a[0].__proto__',
  ],
])('a __proto__ key is refused with its path: %s', async (body, param) => {
  const refusal = describeRefusal(await harness.call('POST', '/v1/turns', { body }));

  expect(refusal).toBe(`400 unknown_field: ${param}`);
});

test('NUL and half a surrogate pair are replaced in all texts and keys', async () => {
  const odd = 'a\u0000b\ud800c';
  const body = {
    ...{ model: 'openai/test', input: odd, instructions: odd },
    ...{ metadata: { [odd]: odd }, provider_options: { user: odd } },
  };

  const { status, body: turn } = await harness.call('POST', '/v1/turns', { body });
  await harness.workUntilIdle();
  const done = await harness.findTurn(String(turn.id));

  expect(status).toBe(202);
  expect(done.status).toBe('completed');
  expect(done.input).toEqual([{ role: 'user', content: 'a\ufffdb\ufffdc' }]);
  expect(done.metadata).toEqual({ 'a\ufffdb\ufffdc': 'a\ufffdb\ufffdc' });
  expect(harness.modelRequests.at(-1)?.body).toMatchObject({ user: 'a\ufffdb\ufffdc' });
});

test('keys such as constructor and toString are stored like any other key', async () => {
  const body = '{"model":"openai/test","input":"Hi","metadata":{"constructor":"a","toString":"b","a.b[0]":"c"}}';

  const { status, body: turn } = await harness.call('POST', '/v1/turns', { body });

  expect(status).toBe(202);
  expect((await harness.findTurn(String(turn.id))).metadata).toEqual({
    constructor: 'a',
    toString: 'b',
    'a.b[0]': 'c',
  });
});

async function read(response: Response) {
  return { status: response.status, headers: response.headers, body: await response.json() };
}
