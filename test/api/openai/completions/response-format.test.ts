import { zodResponseFormat } from 'openai/helpers/zod';
import { expect } from 'vitest';
import { z } from 'zod';
import { test } from '../test.ts';
import { clientTool, completing, scriptedUser, user } from './completing.ts';

const Weather = z.object({ city: z.string(), degrees: z.number() });
const response_format = zodResponseFormat(Weather, 'weather');
const answer = JSON.stringify({ city: 'Rome', degrees: 22 });

test('the OpenAI client parses the answer, and the model receives the schema', async ({ harness, worker: _ }) => {
  const { completions, lastSent } = completing(harness);
  const body = { model: 'test', messages: [scriptedUser({ answer, piece_chars: 3 })], response_format };

  const parsed = await completions.parse(body);
  const streamed = await completions.stream(body).finalChatCompletion();

  expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Rome', degrees: 22 });
  expect(streamed.choices[0]?.message.parsed).toEqual({ city: 'Rome', degrees: 22 });
  const { json_schema } = response_format;
  expect(lastSent().response_format).toMatchObject({
    type: 'json_schema',
    json_schema: {
      name: 'weather',
      strict: true,
      schema: { required: ['city', 'degrees'], type: json_schema.schema?.type },
    },
  });
});

test('parse returns tool calls instead of an answer if the model calls a tool', async ({ harness, worker: _ }) => {
  const { completions } = completing(harness);
  const messages = [
    scriptedUser({ rounds: [{ tools: [{ name: 'get_weather', arguments: {}, id: 'call_a' }] }], answer }),
  ];
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const strict = { ...clientTool('get_weather'), function: { name: 'get_weather', strict: true, parameters } };

  const { choices } = await completions.parse({ model: 'test', messages, response_format, tools: [strict] as never });

  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { parsed: null, content: null } });
});

test('the response_format json_object reaches the model', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);

  const { choices } = await complete({ messages: [user('Reply in JSON')], response_format: { type: 'json_object' } });

  expect(lastSent().response_format).toEqual({ type: 'json_object' });
  expect(JSON.parse(choices[0]?.message.content ?? '')).toHaveProperty('answer');
});

test('parse returns the refusal instead of a parsed answer', async ({ harness, worker: _ }) => {
  const messages = [scriptedUser({ final: { refusal: 'I cannot.' } })];

  const { choices } = await completing(harness).completions.parse({ model: 'test', messages, response_format });

  expect(choices[0]?.message).toMatchObject({ refusal: 'I cannot.', parsed: null });
});
