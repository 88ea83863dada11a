import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openaiClient, raised } from '../openai-client.ts';

const tools = [
  {
    ...{ type: 'function' as const, name: 'get_weather', description: 'Tells the weather', strict: null },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
];
const image = 'data:image/png;base64,iVBORw0KGgo=';

test.each(['/v1', '/openai/v1'] as const)('input tokens are estimated under %s without a turn', async (base) => {
  await using harness = await createHarness();
  const { inputTokens } = openaiClient(harness, base).responses;
  const count = async (body: Parameters<typeof inputTokens.count>[0]) => (await inputTokens.count(body)).input_tokens;

  // A message counts as four tokens, and four bytes as one token.
  expect(await inputTokens.count({ input: 'x'.repeat(400) })).toEqual({
    ...{ object: 'response.input_tokens', input_tokens: 104 },
  });
  expect(await count({ model: 'test', input: 'x'.repeat(400), instructions: 'y'.repeat(40) })).toBe(114);
  expect(
    await count({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: image, detail: 'auto' }] }] }),
  ).toBeGreaterThan(1_000);
  expect(await count({ input: 'Hi', tools })).toBeGreaterThan(25);
  expect(await count({ input: 'Hi', tools, tool_choice: 'none' })).toBe(await count({ input: 'Hi', tools }));
  expect(await count({})).toBe(0);
  expect(await count(undefined)).toBe(0);

  expect(harness.modelRequests).toEqual([]);
  expect((await harness.call('GET', '/v1/turns')).body.data).toEqual([]);
});

test('a token count includes the history of a response or conversation, by usage', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');
  const usage = { prompt_tokens: 5_000, completion_tokens: 100 };
  const input = scripted({ answer: 'Hello.', final: { say: 'Hello.', usage } });
  const conversation = (await client.conversations.create()).id;
  const { id } = await client.responses.create({ model: 'test', input, conversation, background: true });
  const { input_tokens: queued } = await client.responses.inputTokens.count({ previous_response_id: id });
  await harness.workUntilIdle();
  const next = { input: 'x'.repeat(400) };

  const chained = await client.responses.inputTokens.count({ ...next, previous_response_id: id });
  const conversed = await client.responses.inputTokens.count({ ...next, conversation });

  expect(queued).toBe(4 + Math.ceil(input.length / 4));
  expect([chained.input_tokens, conversed.input_tokens]).toEqual([5_204, 5_204]);
});

test('a token count estimates items by size if no model has read them', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');
  const { id: conversation } = await client.conversations.create({
    items: [{ role: 'user', content: 'x'.repeat(400) }],
  });
  const tenOfHalfAMegabyte = Array(10).fill({ role: 'user', content: 'y'.repeat(500_000) });

  expect(await client.responses.inputTokens.count({ conversation, input: 'Hi' })).toMatchObject({ input_tokens: 109 });
  await client.conversations.items.create(conversation, { items: tenOfHalfAMegabyte });
  const { input_tokens } = await client.responses.inputTokens.count({ conversation, input: 'Hi' });
  expect(input_tokens).toBeGreaterThan(1_250_000);
  expect(input_tokens).toBeLessThan(1_260_000);
});

test('a token count refuses an invalid create, and an unknown history with its code', async ({ harness }) => {
  const { inputTokens } = openaiClient(harness).responses;
  const refusals: [object, object][] = [
    [{ input: [{ type: 'computer_call' }] }, { code: 'unsupported_input_item', param: 'input[0].type' }],
    [{ tools: [{ type: 'web_search' }] }, { code: 'unsupported_tool', param: 'tools[0].type' }],
    [{ store: true }, { code: 'unknown_parameter', param: 'store' }],
    [{ previous_response_id: 'resp_1', conversation: 'conv_1' }, { code: 'mutually_exclusive_parameters' }],
    [{ previous_response_id: 'resp_1' }, { code: 'previous_response_not_found', param: 'previous_response_id' }],
    [{ conversation: 'conv_1' }, { status: 404, code: 'conversation_not_found', param: 'conversation' }],
  ];

  for (const [body, expected] of refusals) {
    expect(await raised(inputTokens.count(body))).toMatchObject({ status: 400, ...expected });
  }
});
