import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';

test('the provider list names all providers and capabilities, but no keys', async () => {
  const local = { kind: 'anthropic', base_url: 'http://127.0.0.1:1', api_key: 'secret-of-local', tools: false };
  const env = {
    ANTHROPIC_API_KEY: 'secret-of-anthropic',
    GEMINI_API_KEY: 'secret-of-gemini',
    PAWL_PROVIDERS: JSON.stringify({ local }),
  };
  await using harness = await createHarness({ env });

  const { status, body } = await harness.call('GET', '/v1/models');

  const calls = { tools: true, parallel_tool_calls: true };
  const can = {
    object: 'provider',
    streaming: true,
    ...calls,
    thinking: true,
    structured_outputs: true,
    ...{ background: false, batch: true },
    hosted_tools: [],
  };
  const [searching, code, file] = [['web_search', 'web_fetch'], 'code_execution', 'file_search'];
  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'list',
    data: [
      { id: 'openai/*', name: 'openai', wire: 'openai', ...can },
      { id: 'anthropic/*', name: 'anthropic', wire: 'anthropic', ...can, hosted_tools: [...searching, code] },
      { id: 'gemini/*', name: 'gemini', wire: 'gemini', ...can, hosted_tools: [...searching, code, file] },
      { id: 'sim/*', name: 'sim', wire: 'openai', ...can },
      {
        ...{ id: 'sim-responses/*', name: 'sim-responses', wire: 'openai-responses', ...can },
        hosted_tools: ['web_search', code, file, 'image_generation'],
      },
      { id: 'local/*', name: 'local', wire: 'anthropic', ...can, tools: false, parallel_tool_calls: false },
    ],
    has_more: false,
    next_cursor: null,
  });
  expect(JSON.stringify(body)).not.toContain('secret');
});
