import { expect, test } from 'vitest';
import { bedrockWire } from '#test/llm/ai-sdk/bedrock-wire.ts';
import { openPackages, play } from '#test/llm/ai-sdk/open-packages.ts';

const usage = {
  ...{ input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  ...{ cached_input_tokens: 4, cache_write_tokens: 0, reasoning_tokens: 0 },
};

type Shown = { output: { type: string; content?: object[] }[] };

test('a packaged provider gives reasoning and JSON, and gets its sealed state back', async () => {
  await using packages = await openPackages();
  const { harness, bedrock } = packages;
  play(bedrock, bedrockWire.reply({ reasoning: ['Hm, thought of bedrock'], text: ['{"city":"Kyoto"}'], usage }));
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const text = { format: { type: 'json_schema', name: 'place', schema } };
  const common = { model: 'bedrock/anthropic.claude-sonnet-4-5', background: true };
  const include = ['reasoning.encrypted_content'];

  const { body: first } = await harness.call('POST', '/openai/v1/responses', {
    body: { ...common, include, text, input: 'Where?' },
  });
  await harness.workUntilIdle();
  const { body: response } = await harness.call<Shown>('GET', `/openai/v1/responses/${first.id}`);
  const { body: sealed } = await harness.call<Shown>('GET', `/openai/v1/responses/${first.id}?include[]=${include[0]}`);
  play(bedrock, bedrockWire.reply({ text: ['There.'] }));
  const input = [{ role: 'user', content: 'Where?' }, ...sealed.output, { role: 'user', content: 'Sure?' }];
  await harness.call('POST', '/openai/v1/responses', { body: { ...common, input } });
  await harness.workUntilIdle();

  expect(response).toMatchObject({ status: 'completed', usage: { input_tokens: 11, output_tokens: 7 } });
  expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  expect(response.output[1]!.content?.[0]).toMatchObject({ type: 'output_text', text: '{"city":"Kyoto"}' });
  const [, assistant] = bedrock.asked[1]!.body.messages as { content: unknown[] }[];
  const signed = { reasoningText: { text: 'Hm, thought of bedrock', signature: 'c2lnbmVk' } };
  expect(assistant!.content).toEqual([{ reasoningContent: signed }, { text: '{"city":"Kyoto"}' }]);
});
