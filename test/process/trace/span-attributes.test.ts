import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import type { ReceivedSpan } from '#test/harness/servers/received-span.ts';
import { test, traced } from './traced.ts';

const named = (spans: ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);

test('a chat span has the parameters of its request, and the reasoning tokens', async ({ at }) => {
  const usage = {
    ...{ prompt_tokens: 20, completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 7 } },
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 5 },
  };
  const input = scripted({ final: { say: 'Hi.', usage } });
  const body = { model: 'openai/test', input, max_output_tokens: 100, temperature: 0.5, top_p: 0.25, background: true };

  await at.harness.call('POST', '/v1/responses', { body });
  await at.harness.workUntilIdle();
  const spans = await at.received();

  const used = {
    ...{ 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 10, 'gen_ai.usage.reasoning.output_tokens': 7 },
    ...{ 'gen_ai.usage.cache_read.input_tokens': 3, 'gen_ai.usage.cache_creation.input_tokens': 5 },
  };
  expect(named(spans, 'chat test')).toMatchObject([
    {
      attributes: {
        ...{ ...used, 'gen_ai.request.max_tokens': 100 },
        ...{ 'gen_ai.request.temperature': 0.5, 'gen_ai.request.top_p': 0.25 },
      },
    },
  ]);
  expect(named(spans, 'invoke_agent')).toMatchObject([{ attributes: used }]);
});

test('the resource of a span has the version of Pawl and an id of the process', async () => {
  await using one = await traced();
  await using other = await traced();

  for (const { harness } of [one, other]) {
    await harness.runTurn({ model: 'openai/test', input: 'Hi' });
  }
  const [[first], [second]] = [await one.received(), await other.received()];

  const version = expect.stringMatching(/^\d+\.\d+\.\d+$/);
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(first!.resource).toEqual({
    ...{ 'service.name': 'pawl', 'service.version': version, 'service.instance.id': id },
  });
  expect(second!.resource['service.instance.id']).not.toBe(first!.resource['service.instance.id']);
});
