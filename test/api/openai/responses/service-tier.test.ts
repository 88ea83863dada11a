import { test as base, expect } from 'vitest';
import { openStream } from '#test/api/stream/open-stream.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { type FlexServer, startFlexServer, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';
import { readBody, refusalOf } from './read-body.ts';

type Opened = AsyncDisposable & { harness: Harness; server: FlexServer; claude: WireServer; silent: WireServer };

/** Opens a harness with a model that supports tiers, Claude, and a server that reports no tier. */
async function open(): Promise<Opened> {
  const [server, claude, silent] = await Promise.all([startFlexServer(), startWireServer(), startWireServer()]);
  claude.answer({ body: anthropicWire.reply({ text: ['Hello.'] }) });
  silent.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  const providers = {
    claude: { kind: 'anthropic', base_url: claude.origin },
    silent: { kind: 'openai', base_url: silent.origin },
  };
  const env = { OPENAI_BASE_URL: server.baseUrl, PAWL_PROVIDERS: JSON.stringify(providers) };
  const harness = await createHarness({ env });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await Promise.all([server, claude, silent].map((each) => each[Symbol.asyncDispose]()));
  };
  return { harness, server, claude, silent, [Symbol.asyncDispose]: dispose };
}

type Shown = { id: string; service_tier: string; status: string; error?: object };

/** Returns a response as created and after its turn has run. */
async function respond(harness: Harness, body: object): Promise<[created: Shown, after: Shown]> {
  const request = { model: 'openai/test', input: 'Hi', background: true, ...body };
  const { body: created } = await harness.call<Shown>('POST', '/v1/responses', { body: request });
  await harness.workUntilIdle();
  const { body: after } = await harness.call<Shown>('GET', `/v1/responses/${created.id}`);
  return [created, after];
}

const test = base.extend('opened', opening(open));

test.for(['default', 'flex', 'priority'])(
  'a response requests its service tier %s from the model',
  async (tier, { opened }) => {
    const { harness, server } = opened;

    const [created] = await respond(harness, { service_tier: tier });

    const id = created.id.replace('resp_', 'turn_');
    const { body } = await harness.call('GET', `/v1/turns/${id}?include=config`);
    expect(body).toMatchObject({ status: 'completed', config: { service_tier: tier, provider_options: {} } });
    expect(server.tiers()).toEqual([tier]);
  },
);

test('a response reports the requested service tier until a round reports another', async ({ opened }) => {
  const { harness, server } = opened;
  server.report('default');

  const [created, after] = await respond(harness, { service_tier: 'flex' });

  expect([created.service_tier, after.service_tier]).toEqual(['flex', 'default']);
});

test('a response without a service tier reports default, or the tier of its round', async ({ opened }) => {
  const { harness, server } = opened;
  server.report('priority');

  const [created, after] = await respond(harness, {});

  expect(server.tiers()).toEqual([null]);
  expect([created.service_tier, after.service_tier]).toEqual(['default', 'priority']);
});

test('a response with the service tier auto sends no tier to any provider', async ({ opened }) => {
  const { harness, server, claude } = opened;

  const [, after] = await respond(harness, { service_tier: 'auto' });
  await respond(harness, { service_tier: 'auto', model: 'claude/x' });

  expect(after).toMatchObject({ status: 'completed', service_tier: 'default' });
  expect(server.tiers()).toEqual([null]);
  expect(claude.asked.map(({ body }) => body.service_tier)).toEqual([undefined]);
});

test.for(['default', 'flex', 'priority'])(
  'a response reports the requested service tier if its provider reports none: %s',
  async (tier, { opened }) => {
    const [, after] = await respond(opened.harness, { model: 'silent/x', service_tier: tier });

    expect(after).toMatchObject({ status: 'completed', service_tier: tier });
  },
);

test('a response reports the ordinary tier of any provider as default', async ({ opened: { harness, server } }) => {
  server.report('standard');

  const [, after] = await respond(harness, {});

  expect(after).toMatchObject({ status: 'completed', service_tier: 'default' });
});

test('a native turn also shows its service tier as a response', async ({ opened }) => {
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE, 1);
  const { id } = await harness.startTurn({ input: 'Hi', service_tier: 'flex' });

  const { body } = await harness.call('GET', `/v1/responses/${id.replace('turn_', 'resp_')}`);

  expect(body).toMatchObject({ service_tier: 'flex' });
});

test('the stream of a response ends with the reported service tier', async ({ opened: { harness, server } }) => {
  server.report('default');
  const [created] = await respond(harness, { service_tier: 'flex' });

  const stream = await openStream(`${harness.url}/v1/responses/${created.id}?stream=true`, {});
  await stream.over;

  const tierOf = (type: string) =>
    (stream.seen.find((seen) => seen.type === type)?.data.response as Shown | undefined)?.service_tier;
  expect([tierOf('response.created'), tierOf('response.completed')]).toEqual(['flex', 'default']);
});

test('an unknown service tier is sent over both OpenAI wires', async () => {
  const { config } = await readBody({ service_tier: 'scale' });

  expect(config).toMatchObject({ provider_options: { service_tier: 'scale' } });
  expect(config).not.toHaveProperty('service_tier');
  expect(await refusalOf({ model: 'anthropic/claude', service_tier: 'scale' })).toMatchObject({
    ...{ code: 'unsupported_parameter', param: 'service_tier' },
  });
});

test.each(['flex', 'priority'])(
  'a response of Claude with the service tier %s is refused with its field',
  async (tier) => {
    expect(await refusalOf({ model: 'anthropic/claude', service_tier: tier })).toMatchObject({
      ...{ status: 400, code: 'unsupported_parameter', param: 'service_tier' },
    });
  },
);

test('a response of Claude with the service tier default requests "standard_only"', async ({ opened }) => {
  await respond(opened.harness, { model: 'claude/x', service_tier: 'default' });

  expect(opened.claude.asked.map(({ body }) => body.service_tier)).toEqual(['standard_only']);
});

test('a response may have pawl.tier_fallback, and is refused with that path', async ({ opened: { harness } }) => {
  const pawl = { tier_fallback: 'default' };

  const [created] = await respond(harness, { service_tier: 'flex', pawl });
  const { status, body } = await harness.call('POST', '/v1/responses', {
    body: { model: 'openai/test', input: 'Hi', background: true, pawl },
  });

  const id = created.id.replace('resp_', 'turn_');
  const { body: turn } = await harness.call('GET', `/v1/turns/${id}?include=config`);
  expect(turn).toMatchObject({ config: { service_tier: 'flex', tier_fallback: 'default' } });
  expect({ status, body }).toMatchObject({
    ...{ status: 400, body: { error: { code: 'unsupported_parameter', param: 'pawl.tier_fallback' } } },
  });
});

test.for([{}, { background: false }, { background: null }, { stream: true }])(
  'a response with the service tier batch and %j is refused and names background',
  async (own, { opened: { harness } }) => {
    const request = { model: 'openai/test', input: 'Hi', service_tier: 'batch', ...own };

    const { status, body } = await harness.call('POST', '/v1/responses', { body: request });

    expect({ status, body }).toMatchObject({
      ...{ status: 400, body: { error: { code: 'unsupported_parameter', param: 'service_tier' } } },
    });
    expect(body).toHaveProperty('error.message', expect.stringContaining('background: true'));
  },
);

test('a response in the background may have the service tier batch', async ({ opened: { harness } }) => {
  const request = { model: 'openai/test', input: 'Hi', background: true, service_tier: 'batch' };
  const respondTo = (own: object) => harness.call<Shown>('POST', '/v1/responses', { body: { ...request, ...own } });

  const { status, body } = await respondTo({ pawl: { tier_fallback: 'default' } });
  const emulated = await respondTo({ pawl: { tool_mode: 'emulated' } });

  const { body: turn } = await harness.call('GET', `/v1/turns/${body.id.replace('resp_', 'turn_')}?include=config`);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'queued', service_tier: 'batch' } });
  expect(turn).toMatchObject({ config: { service_tier: 'batch', tier_fallback: 'default' } });
  expect(emulated.body).toMatchObject({ error: { code: 'unsupported_parameter', param: 'pawl.tool_mode' } });
});

test('a compaction with the service tier batch is refused', async ({ opened: { harness } }) => {
  const request = { model: 'openai/test', input: 'Hi', service_tier: 'batch' };

  const { status, body } = await harness.call('POST', '/v1/responses/compact', { body: request });

  expect({ status, body }).toMatchObject({ status: 400, body: { error: { param: 'service_tier' } } });
});

test('a response waits for flex like a turn', async ({ opened: { harness, server } }) => {
  server.refuse('flex', UNAVAILABLE, 1);

  const [, waiting] = await respond(harness, { service_tier: 'flex' });

  expect(waiting).toMatchObject({ status: 'in_progress', service_tier: 'flex' });
});

test('a response may follow another response with a different service tier', async ({
  opened: { harness, server },
}) => {
  const [first] = await respond(harness, { service_tier: 'flex' });
  await respond(harness, { previous_response_id: first.id });

  expect(server.tiers()).toEqual(['flex', null]);
});
