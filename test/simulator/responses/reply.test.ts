import { expect } from 'vitest';
import { afterOneRound, askResponses, getWeather, script, sentBack, stateless, test } from './ask-responses.ts';

const sunny = { answer: 'It is sunny in Tokyo.' };

test('a script without rounds is answered by a message over the Responses wire', async ({ model }) => {
  const response = await model.respond(script(sunny));

  expect(response).toMatchObject({ object: 'response', status: 'completed', error: null, incomplete_details: null });
  expect(response.id).toMatch(/^resp_\w+$/);
  expect(response.output).toMatchObject([
    {
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: sunny.answer, annotations: [] }],
    },
  ]);
});

test('a round over the Responses wire has reasoning, text and calls as items', async ({ model }) => {
  const tools = [{ name: 'get_weather', arguments: { city: 'Tokyo' } }];
  const sim = { rounds: [{ reasoning: 'hm', say: 'Let me look.', tools }] };

  const response = await model.respond({ ...script(sim), tools: [getWeather] });

  expect(response.output).toMatchObject([
    { type: 'reasoning', id: expect.stringMatching(/^rs_/), summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', content: [{ text: 'Let me look.' }] },
    { type: 'function_call', call_id: 'call_1_0_0', name: 'get_weather', arguments: '{"city":"Tokyo"}' },
  ]);
  expect(response.output[0]).not.toHaveProperty('encrypted_content');
});

test('{{results}} becomes the outputs of the function calls', async ({ model }) => {
  const sim = { rounds: [{ tools: [{ name: 'get_weather' }] }], answer: 'They say: {{results}}' };
  const parts = afterOneRound(sim, '');
  const last = { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: '19 °C' }] };

  const text = await model.respond(afterOneRound(sim, '21 °C'));
  const part = await model.post({ ...parts, input: [...(parts.input as object[]).slice(0, -1), last] });

  expect(text.output_text).toBe('They say: 21 °C');
  expect(await part.text()).toContain('They say: 19 °C');
});

test('the finish reason of a script becomes the status of the response', async ({ model }) => {
  const finish = async (reason: string) => model.respond(script({ ...sunny, final: { finish_reason: reason } }));

  expect(await finish('length')).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
  });
  expect(await finish('content_filter')).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
  });
  expect(await finish('error')).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
});

test('a refusal is a part of the message, after the text or alone', async ({ model }) => {
  const alone = await model.respond(script({ final: { refusal: 'I cannot.' } }));
  const after = await model.respond(script({ final: { say: 'Well, ', refusal: 'I cannot.' } }));

  const refusal = { type: 'refusal', refusal: 'I cannot.' };
  expect(alone.output).toMatchObject([{ content: [refusal] }]);
  expect(after.output).toMatchObject([{ content: [{ type: 'output_text', text: 'Well, ' }, refusal] }]);
});

test('a reply without text, refusal and calls has only a reasoning item', async ({ model }) => {
  const response = await model.respond(script({ final: { reasoning: 'hm', say: '', finish_reason: 'length' } }));

  expect(response.output).toMatchObject([{ type: 'reasoning', summary: [{ text: 'hm' }] }]);
  expect(response.status).toBe('incomplete');
});

test('usage has the field names of the Responses wire, and null stays null', async ({ model }) => {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };

  const given = await model.respond(script({ final: { usage } }));
  const estimated = await model.respond(script({ final: { reasoning: 'hm hm' } }));
  const without = await model.respond(script({ final: { usage: null } }));

  expect(given.usage).toEqual({
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 14,
  });
  expect(estimated.usage).toMatchObject({
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 2 },
  });
  expect(without.usage).toBeNull();
});

test('an answer without a script fits text.format', async ({ model }) => {
  const schema = getWeather.parameters!;
  const format = { type: 'json_schema' as const, name: 'place', strict: true, schema };

  const plain = await model.respond({ text: { format } });
  const words = await model.respond({ text: { format: { type: 'json_object' } } });

  expect(JSON.parse(plain.output_text)).toEqual({ city: 'city' });
  expect(JSON.parse(words.output_text)).toEqual({ answer: 'You said: "Hi".' });
});

test('any simulator accepts encrypted reasoning, with or without ids', async () => {
  await using first = await askResponses();
  await using second = await askResponses();
  const { input } = script({ final: { reasoning: 'hm', say: 'Yes.' } });
  const next = { role: 'user' as const, content: 'And now?' };

  const { output } = await first.respond({ input, ...stateless });
  const withIds = await second.respond({ input: [...input, ...sentBack(output), next], ...stateless });
  const plain = output.map(({ id, ...item }) => item);
  const withoutIds = await second.post({ input: [...input, ...plain, next], ...stateless });

  expect(output[0]).toMatchObject({ encrypted_content: expect.stringMatching(/^sim_/) });
  expect(withIds.output_text).toBe('You said: "And now?".');
  expect(withoutIds.status).toBe(200);
});
