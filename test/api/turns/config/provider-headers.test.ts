import { test as base, expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

/** Opens a service with providers that allow different headers. Their server answers “Hello.” */
async function open() {
  const server = await startWireServer();
  server.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  const local = { kind: 'openai', base_url: `${server.origin}/v1` };
  const providers = {
    free: { ...local, allowed_headers: ['X-Tag', 'openai-beta'] },
    narrow: { ...local, allowed_headers: ['x-tag'] },
    closed: local,
  };
  const harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify(providers) } });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { harness, server, [Symbol.asyncDispose]: dispose };
}

const headersOf = async (harness: Harness, id: unknown) =>
  (await harness.call<{ config: { provider_headers: unknown } }>('GET', `/v1/turns/${id}?include=config`)).body.config
    .provider_headers;

const tagged = { model: 'free/x', input: 'Hi', provider_headers: { 'X-Tag': 'one', 'OpenAI-Beta': 'two' } };
const stored = { 'x-tag': 'one', 'openai-beta': 'two' };

const test = base.extend('opened', opening(open));

test('provider_headers reach the provider in each request, in lower case', async ({ opened }) => {
  const { harness, server } = opened;

  const { id } = await harness.startTurn(tagged);
  await harness.workUntilIdle();

  expect(server.asked).toMatchObject([{ headers: stored }]);
  expect(await headersOf(harness, id)).toEqual(stored);
});

const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`x-${index}`, '']));

test.each([
  [{ 'bad name': 'some-value' }, 'provider_headers.bad name'],
  [{ '': 'some-value' }, 'provider_headers.'],
  [{ ['x'.repeat(65)]: 'some-value' }, `provider_headers.${'x'.repeat(65)}`],
  [{ 'x-tag': 'some-value\n' }, 'provider_headers.x-tag'],
  [{ 'x-tag': 'some-value €' }, 'provider_headers.x-tag'],
  [{ 'x-tag': 'v'.repeat(1_025) }, 'provider_headers.x-tag'],
  [{ 'x-tag': 1 }, 'provider_headers.x-tag'],
  [{ 'x-tag': 'some-value', 'X-Tag': 'other' }, 'provider_headers.X-Tag'],
  [many, 'provider_headers'],
  [['x-tag'], 'provider_headers'],
])('invalid provider_headers are refused without their values: %j', async (headers, param) => {
  await using opened = await open();

  const body = { ...tagged, provider_headers: headers };
  const answer = await opened.harness.call('POST', '/v1/turns', { body });

  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_value', param } } });
  expect(JSON.stringify(answer.body)).not.toContain('some-value');
});

test.each([
  ['the provider does not list it', { model: 'narrow/x' }, 'provider_headers.openai-beta', 'narrow'],
  ['the provider lists none', { model: 'closed/x' }, 'provider_headers.x-tag', 'closed'],
  ['the provider is built in', { model: 'openai/test' }, 'provider_headers.x-tag', 'openai'],
  ['a fallback does not list it', { fallback_models: ['free/y', 'narrow/x'] }, 'fallback_models[1]', 'narrow'],
])('provider_headers are refused if %s', async (_, own, param, name) => {
  await using opened = await open();
  const { harness } = opened;
  const body = { ...tagged, ...own };

  const turn = await harness.call('POST', '/v1/turns', { body });
  const conversation = await harness.call('POST', '/v1/conversations', { body });
  const schedule = await harness.call('POST', '/v1/schedules', { body: { every_seconds: 60, turn: body } });

  const message = expect.stringMatching(new RegExp(`^provider_headers\\.[a-z-]+ is not allowed for ${name}\\. Leave`));
  const error = { code: 'unsupported_parameter', param, message };
  expect(turn).toMatchObject({ status: 400, body: { error } });
  expect(conversation).toMatchObject({ status: 400, body: { error } });
  expect(schedule).toMatchObject({ status: 400, body: { error: { ...error, param: `turn.${param}` } } });
});

test('turns inherit provider_headers, and check them if the conversation has no model', async () => {
  await using opened = await open();
  const { harness } = opened;
  const { provider_headers } = tagged;
  const { status, body } = await harness.call('POST', '/v1/conversations', { body: { provider_headers } });
  const start = (own: object) =>
    harness.call('POST', `/v1/conversations/${body.id}/turns`, { body: { input: 'Hi', ...own } });

  const inherited = await start({ model: 'free/x' });
  const replaced = await start({ model: 'narrow/x', provider_headers: { 'x-tag': 'three' } });
  const without = await start({ model: 'closed/x', provider_headers: null });
  const refused = await start({ model: 'narrow/x' });

  expect([status, body.provider_headers]).toEqual([201, stored]);
  expect(await headersOf(harness, inherited.body.id)).toEqual(stored);
  expect(await headersOf(harness, replaced.body.id)).toEqual({ 'x-tag': 'three' });
  expect(await headersOf(harness, without.body.id)).toEqual({});
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'provider_headers.openai-beta' } } });
});

test('a turn without provider_headers does not store the field', async ({ opened: { harness } }) => {
  for (const provider_headers of [undefined, null, {}]) await harness.startTurn({ ...tagged, provider_headers });

  const rows = await harness.db.selectFrom('turns').select('config').execute();
  for (const { config } of rows) expect(config).not.toHaveProperty('provider_headers');
});

test('a fork and a rerun keep provider_headers unless they set them', async ({ opened: { harness } }) => {
  const { id } = await harness.startTurn(tagged);
  await harness.workUntilIdle();
  const again = async (path: string, body: object) =>
    headersOf(harness, (await harness.call<TurnResource>('POST', `/v1/turns/${id}/${path}`, { body })).body.id);

  expect(await again('fork', { input: 'And?' })).toEqual(stored);
  expect(await again('rerun', {})).toEqual(stored);
  expect(await again('rerun', { provider_headers: { 'x-tag': 'three' } })).toEqual({ 'x-tag': 'three' });
  expect(await again('rerun', { model: 'closed/x', provider_headers: null })).toEqual({});
});

test('a response sends pawl.provider_headers, and is refused with that path', async ({ opened }) => {
  const { harness, server } = opened;
  const create = (model: string) =>
    harness.call('POST', '/v1/responses', {
      body: { model, input: 'Hi', background: true, pawl: { provider_headers: tagged.provider_headers } },
    });

  const made = await create('free/x');
  await harness.workUntilIdle();
  const wrong = await create('narrow/x');

  expect(made.status).toBe(200);
  expect(server.asked).toMatchObject([{ headers: stored }]);
  expect(wrong).toMatchObject({ status: 400, body: { error: { param: 'pawl.provider_headers.openai-beta' } } });
});

test('a fallback model of another provider gets provider_headers too', async ({ opened: { harness, server } }) => {
  server.answer({ status: 404, headers: { 'content-type': 'application/json' }, body: ['{"error":{"message":"no"}}'] });
  server.answerNext({ body: openaiWire.reply({ text: ['Hello.'] }) });

  const own = { fallback_models: ['narrow/x'], provider_headers: { 'x-tag': 'one' } };
  const { id } = await harness.startTurn({ ...tagged, ...own });
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ model: 'narrow/x' }] });
  expect(server.asked).toMatchObject([{ headers: { 'x-tag': 'one' } }, { headers: { 'x-tag': 'one' } }]);
});
