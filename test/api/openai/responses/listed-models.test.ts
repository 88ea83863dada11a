import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { openaiClient, raised } from './openai-client.ts';

/** Starts a server with model lists of the three wires. It refuses the key `wrong`. */
async function startLists() {
  const lists: Record<string, object> = {
    '/openai/v1/models': {
      object: 'list',
      data: [{ id: 'gpt-4.1', object: 'model', created: 17, owned_by: 'system' }],
    },
    '/anthropic/v1/models': {
      ...{ data: [{ type: 'model', id: 'claude', created_at: '1970-01-01T00:01:00Z' }] },
      ...{ has_more: true, last_id: 'claude' },
    },
    '/anthropic/v1/models?after_id=claude': { data: [{ type: 'model', id: 'claude-2' }], has_more: false },
    '/gemini/v1/models': { models: [{ name: 'models/gemini-pro', displayName: 'Gemini' }], nextPageToken: 'b/+' },
    '/gemini/v1/models?pageToken=b%2F%2B': { models: [{ name: 'models/gemini-nano' }] },
  };
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(url ?? '');
    const list = method === 'GET' && headers.authorization !== 'Bearer wrong' ? lists[url ?? ''] : undefined;
    response.writeHead(list ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(list ?? {}));
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return { url: origin, asked, [Symbol.asyncDispose]: close };
}

test('the OpenAI client lists and retrieves aliases and models of all providers', async () => {
  await using lists = await startLists();
  const extra = {
    ...{ wrong: { kind: 'openai', base_url: `${lists.url}/openai/v1`, api_key: 'wrong' } },
    away: { kind: 'openai', base_url: 'http://127.0.0.1:1/v1' },
  };
  await using harness = await createHarness({
    env: {
      ...{ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${lists.url}/openai/v1` },
      ...{ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: `${lists.url}/anthropic` },
      ...{ GEMINI_API_KEY: 'key', GEMINI_BASE_URL: `${lists.url}/gemini` },
      PAWL_MODEL_ALIASES: '{"gpt-4o-mini":"anthropic/claude"}',
      PAWL_PROVIDERS: JSON.stringify(extra),
    },
  });
  const client = openaiClient(harness, '/openai/v1');

  const { data } = await client.models.list();

  const { length } = lists.asked;
  expect(data.filter(({ owned_by }) => !owned_by.startsWith('sim'))).toEqual([
    { id: 'gpt-4o-mini', object: 'model', created: 0, owned_by: 'anthropic' },
    { id: 'openai/gpt-4.1', object: 'model', created: 17, owned_by: 'openai' },
    { id: 'anthropic/claude', object: 'model', created: 60, owned_by: 'anthropic' },
    { id: 'anthropic/claude-2', object: 'model', created: 0, owned_by: 'anthropic' },
    { id: 'gemini/gemini-pro', object: 'model', created: 0, owned_by: 'gemini' },
    { id: 'gemini/gemini-nano', object: 'model', created: 0, owned_by: 'gemini' },
  ]);
  expect(await client.models.retrieve('openai/gpt-4.1')).toMatchObject({ id: 'openai/gpt-4.1', object: 'model' });
  expect(await client.models.retrieve('gpt-4o-mini')).toMatchObject({ id: 'gpt-4o-mini' });
  expect(await raised(client.models.retrieve('openai/gpt-0'))).toBeInstanceOf(OpenAI.NotFoundError);
  expect(new Set(lists.asked.slice(length)), 'asked again: who refused alone').toEqual(new Set(['/openai/v1/models']));
});
