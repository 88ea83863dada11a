import { expect, test } from 'vitest';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import { message, textBlock } from '#test/llm/anthropic-wire.ts';
import { weather } from '#test/llm/dialects/scripted-provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { KINDS, openHeaded } from './open-headed.ts';

const { signal } = new AbortController();
const ignore = () => undefined;
const [chat, , anthropic] = KINDS;

test.for(KINDS)('$kind sends the headers of the operator and of the turn', async (kind) => {
  const headers = { 'X-Team': 'blue', 'anthropic-beta': 'one,two' };
  await using headed = await openHeaded(kind, { headers });
  const { server, provider } = headed;

  await provider.ask({ ...someRequest, headers: { 'openai-beta': 'three', 'x-city': 'Zürich' } }, signal, ignore);

  const latin1 = Buffer.from('Zürich', 'latin1').toString('latin1');
  expect(server.asked).toMatchObject([
    { headers: { 'x-team': 'blue', 'anthropic-beta': 'one,two', 'openai-beta': 'three', 'x-city': latin1 } },
  ]);
});

test.for(KINDS)('$kind prefers turn headers to operator headers, and these to its own', async (kind) => {
  const headers = { 'X-Client-Request-Id': 'operator', 'x-both': 'operator', 'User-Agent': 'Gateway' };
  await using headed = await openHeaded(kind, { headers });
  const { server, provider } = headed;

  await provider.ask({ ...someRequest, headers: { 'x-both': 'turn' } }, signal, ignore);
  await provider.ask(someRequest, signal, ignore);

  expect(server.asked.map((asked) => asked.headers['x-both'])).toEqual(['turn', 'operator']);
  for (const asked of server.asked) {
    expect(asked.headers['x-client-request-id']).toBe('operator');
    expect(asked.headers['user-agent']).toMatch(/^Gateway/);
  }
});

test.for(KINDS)('$kind sends the authorization header of the operator instead of the key', async (kind) => {
  await using headed = await openHeaded(kind, { headers: { Authorization: 'Basic b3BlcmF0b3I=' } });
  const { server, provider } = headed;

  await provider.ask(someRequest, signal, ignore);

  expect(server.asked[0]?.headers.authorization).toBe('Basic b3BlcmF0b3I=');
});

test.for(KINDS.filter(({ kind }) => kind !== 'ai-sdk'))(
  '$kind lists models with the operator headers',
  async (kind) => {
    await using headed = await openHeaded(kind, { headers: { 'x-team': 'blue' } });
    const { server, provider } = headed;
    const list = kind.kind === 'gemini' ? { models: [{ name: 'models/x' }] } : { data: [{ id: 'x' }] };
    server.answer({ headers: { 'content-type': 'application/json' }, body: [JSON.stringify(list)] });

    const models = await provider.listModels?.(signal);

    expect(models).toMatchObject([{ id: 'x' }]);
    expect(server.asked[0]).toMatchObject({ path: expect.stringContaining('/models'), headers: { 'x-team': 'blue' } });
  },
);

test.for(KINDS)('$kind reports the headers that a turn may set, through every wrapper', async (kind) => {
  const settings = { allowed_headers: ['Anthropic-Beta', 'openai-beta'], tools: false, structured_outputs: false };
  await using headed = await openHeaded(kind, settings);

  expect(headed.provider.allowedHeaders).toEqual(['anthropic-beta', 'openai-beta']);
});

test('a header of an entry overrides ANTHROPIC_CUSTOM_HEADERS and needs no key', async () => {
  const env = { ANTHROPIC_CUSTOM_HEADERS: 'x-team: all\nx-other: all' };
  const headers = { 'x-team': 'blue', authorization: 'Bearer gateway' };
  await using headed = await openHeaded(anthropic!, { headers, api_key: null }, env);
  const { server, provider } = headed;

  await provider.ask({ ...someRequest, temperature: 0.2 }, signal, ignore);

  const sent = { 'x-team': 'blue', 'x-other': 'all', authorization: 'Bearer gateway' };
  expect(server.asked[0]?.headers).toMatchObject(sent);
  expect(server.asked[0]?.headers).not.toHaveProperty('x-api-key');
});

test('a paused reply of Anthropic is resumed with the headers of its turn', async () => {
  await using headed = await openHeaded(anthropic!, { headers: { 'x-team': 'blue' } });
  const { server, provider } = headed;
  server.answer({ body: message(textBlock(0, ['Half']), 'pause_turn') });
  server.answerNext({ body: anthropic!.wire.reply({ text: ['Hi.'] }) });

  await provider.ask({ ...someRequest, headers: { 'anthropic-beta': 'three' } }, signal, ignore);

  const sent = { 'x-team': 'blue', 'anthropic-beta': 'three' };
  expect(server.asked).toMatchObject([{ headers: sent }, { headers: sent }]);
});

test('each request of a round in emulated mode has the headers of its turn', async () => {
  await using headed = await openHeaded(chat!);
  const { server, provider } = headed;
  const nothing = { body: chat!.wire.reply({ text: ['{"tools":[]}'] }) };
  server.answerNext(nothing, { body: chat!.wire.reply({ text: ['Hi.'] }) });
  const request = { ...someRequest, tools: [weather], headers: { 'openai-beta': 'three' } };

  await chooseDialect('emulated', provider).ask(request, signal, ignore);

  expect(server.asked.map(({ headers }) => headers['openai-beta'])).toEqual(['three', 'three', 'three']);
});

test.for(KINDS)('an error of $kind hides operator header values of 8 characters or more', async (kind) => {
  const headers = { 'x-gateway-auth': 'Token abcdefgh-ijk', 'x-team': 'the blue team', 'x-stage': 'prod' };
  await using headed = await openHeaded(kind, { headers });
  const { server, provider } = headed;
  const said = 'no access for Token abcdefgh-ijk or abcdefgh-ijk of the blue team in prod';
  const error = { message: said, type: 'abcdefgh-ijk', code: 'abcdefgh-ijk', status: 'abcdefgh-ijk' };
  const body = [JSON.stringify(kind.kind === 'ai-sdk' ? { object: 'error', ...error } : { error })];
  server.answer({ status: 403, headers: { 'content-type': 'application/json' }, body });

  const failure = await provider.ask(someRequest, signal, ignore).catch((thrown: unknown) => thrown);

  expect(failure).toMatchObject({
    code: 'provider_permission_denied',
    message: expect.stringContaining('no access for [redacted] or [redacted] of [redacted] in prod'),
  });
  expect(JSON.stringify(failure)).not.toMatch(/abcdefgh|blue team/);
});

test('operator header values are hidden in JSON, cookies and request ids', async () => {
  const headers = { 'x-quote': 'say "hi" back\\slash', cookie: 'session=abcdefgh-ijk; theme=dark' };
  await using headed = await openHeaded(chat!, { headers });
  const { server, provider } = headed;
  const said = { error: { message: `${JSON.stringify(headers)} session=abcdefgh-ijk is unknown` } };
  const head = { 'content-type': 'application/json', 'x-request-id': 'id-abcdefgh-ijk' };
  server.answer({ status: 403, headers: head, body: [JSON.stringify(said)] });

  const failure = await provider.ask(someRequest, signal, ignore).catch((thrown: unknown) => thrown);

  expect(failure).toMatchObject({ provider: { request_id: 'id-[redacted]' } });
  expect(`${(failure as Error).message}${JSON.stringify(failure)}`).not.toMatch(/abcdefgh|say /);
});

test('a server gets only the headers of Pawl without headers of operator and turn', async () => {
  await using headed = await openHeaded(chat!);
  const { server, provider } = headed;

  await provider.ask(someRequest, signal, ignore);

  const own = ['accept', 'accept-encoding', 'authorization', 'content-type', 'user-agent', 'x-client-request-id'];
  const ofConnection = ['connection', 'content-length', 'host', 'transfer-encoding'];
  const names = Object.keys(server.asked[0]?.headers ?? {}).filter((name) => !ofConnection.includes(name));
  expect(names.toSorted()).toEqual(own);
});
