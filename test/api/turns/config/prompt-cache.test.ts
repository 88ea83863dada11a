import { test as base, expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

/**
 * Opens a service with caching providers of two wires, and a provider without a cache. Their servers answer “Hello.”
 */
async function open() {
  const [claude, chat] = await Promise.all([startWireServer(), startWireServer()]);
  claude.answer({ body: anthropicWire.reply({ text: ['Hello.'] }) });
  chat.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  const providers = {
    claude: { kind: 'anthropic', base_url: claude.origin, prompt_cache: true },
    chat: { kind: 'openai', base_url: `${chat.origin}/v1`, prompt_cache: true },
    plain: { kind: 'openai', base_url: `${chat.origin}/v1` },
  };
  const env = { PAWL_PROVIDERS: JSON.stringify(providers), XAI_API_KEY: 'none', XAI_BASE_URL: `${chat.origin}/v1` };
  const harness = await createHarness({ env });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await Promise.all([claude[Symbol.asyncDispose](), chat[Symbol.asyncDispose]()]);
  };
  return { harness, claude, chat, [Symbol.asyncDispose]: dispose };
}

async function cacheOf(harness: Harness, id: string): Promise<unknown> {
  const { body } = await harness.call<{ config: { prompt_cache: unknown } }>('GET', `/v1/turns/${id}?include=config`);
  return body.config.prompt_cache;
}

const ended = { model: 'claude/x', input: 'Hi', prompt_cache: '1h' };

const test = base.extend('opened', opening(open));

test('a fork and a rerun inherit prompt_cache unless they set it', async ({ opened: { harness } }) => {
  const { id } = await harness.startTurn(ended);
  await harness.workUntilIdle();
  const again = async (path: string, body: object) =>
    cacheOf(harness, (await harness.call<TurnResource>('POST', `/v1/turns/${id}/${path}`, { body })).body.id);

  expect(await again('fork', { input: 'And?' })).toBe('1h');
  expect(await again('rerun', {})).toBe('1h');
  expect(await again('rerun', { prompt_cache: 'off' })).toBe('off');
  expect(await again('rerun', { model: 'plain/x', prompt_cache: null })).toBe('auto');
});

test('a schedule accepts prompt_cache, and refuses it for a provider without a cache', async ({
  opened: { harness },
}) => {
  const schedule = { turn: ended, every_seconds: 60 };

  const made = await harness.call('POST', '/v1/schedules', { body: schedule });
  const wrong = await harness.call('POST', '/v1/schedules', {
    body: { ...schedule, turn: { ...ended, model: 'plain/x' } },
  });

  expect(made).toMatchObject({ status: 201, body: { turn: { prompt_cache: '1h' } } });
  expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'unsupported_parameter' } } });
});

test('a response uses pawl.prompt_cache, and is refused with that path', async ({ opened }) => {
  const { harness, claude } = opened;
  const create = (body: object) =>
    harness.call('POST', '/v1/responses', { body: { input: 'Hi', background: true, ...body } });

  const made = await create({ model: 'claude/x', pawl: { prompt_cache: '1h' } });
  await harness.workUntilIdle();
  const wrong = await create({ model: 'plain/x', pawl: { prompt_cache: '1h' } });

  expect(made.status).toBe(200);
  expect(JSON.stringify(claude.asked[0]!.body)).toContain('"ttl":"1h"');
  expect(wrong).toMatchObject({ status: 400, body: { error: { param: 'pawl.prompt_cache' } } });
});

test.for(['chat/x', 'xai/x'])(
  'the prompt_cache_key of a response to %s takes precedence',
  async (model, { opened }) => {
    const { harness, chat } = opened;
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }];
    const create = (body: object) =>
      harness.call('POST', '/v1/responses', { body: { model, input: 'Hi', tools, background: true, ...body } });

    await create({});
    await create({ prompt_cache_key: 'mine' });
    await harness.workUntilIdle();

    const keys = chat.asked.map(({ body }) => body.prompt_cache_key);
    expect(keys.toSorted()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), 'mine']);
  },
);

test('a fallback model without cache times ignores prompt_cache with a warning', async ({ opened }) => {
  const { harness, claude, chat } = opened;
  claude.answer({
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: ['{"error":{"message":"gone"}}'],
  });

  const { id } = await harness.startTurn({ ...ended, fallback_models: ['chat/x'] });
  await harness.workUntilIdle();

  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: 'Hello.' });
  expect(turn.warnings).toContain('prompt_cache "1h" is not supported by chat and was left out');
  expect(chat.asked).toHaveLength(1);
});
