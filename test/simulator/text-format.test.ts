import type { ResponseFormatJSONSchema } from 'openai/resources/shared';
import { expect } from 'vitest';
import { getWeather, script, test } from './ask-simulator.ts';

const place: ResponseFormatJSONSchema = {
  type: 'json_schema',
  json_schema: {
    name: 'place',
    strict: true,
    schema: {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'number', minimum: 7 } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    },
  },
};
const object = { type: 'json_object' } as const;

test('an answer without a script fits the schema', async ({ model }) => {
  const plain = await model.complete({ response_format: place });
  const scripted = await model.complete({ ...script({}), response_format: place });
  const words = await model.complete({ response_format: object });

  expect(JSON.parse(plain.choices[0]!.message.content!)).toEqual({ city: 'city', degrees: 7 });
  expect(JSON.parse(scripted.choices[0]!.message.content!)).toEqual({ city: 'city', degrees: 7 });
  expect(JSON.parse(words.choices[0]!.message.content!)).toEqual({ answer: 'You said: "Hi".' });
});

test('scripted text and text beside calls do not follow the schema', async ({ model }) => {
  const scripted = await model.complete({ ...script({ answer: '{"city":' }), response_format: place });
  const calling = await model.complete({ tools: [getWeather], response_format: place });

  expect(scripted.choices[0]!.message.content).toBe('{"city":');
  expect(calling.choices[0]!.message).toMatchObject({ content: 'Let me use 1 tool.', tool_calls: [{}] });
});

test('a refusal is sent after the text, or alone', async ({ model }) => {
  const refusals: string[] = [];

  const alone = await model.complete(script({ answer: 'Not said.', final: { refusal: 'I cannot.' } }));
  const stream = model.stream(script({ piece_chars: 5, final: { say: 'Well, ', refusal: 'I cannot.' } }));
  stream.on('refusal.delta', ({ delta }) => refusals.push(delta));
  const behind = await stream.finalChatCompletion();

  expect(alone.choices[0]).toMatchObject({ message: { content: null, refusal: 'I cannot.' }, finish_reason: 'stop' });
  expect(refusals).toEqual(['I can', 'not.']);
  expect(behind.choices[0]!.message).toMatchObject({ content: 'Well, ', refusal: 'I cannot.' });
});
