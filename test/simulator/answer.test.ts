import { expect } from 'vitest';
import { afterOneRound, getWeather, script, test } from './ask-simulator.ts';

const sunny = { answer: 'It is sunny in Tokyo, they say, and warm.' };

test('a script without rounds is answered at once', async ({ model }) => {
  const completion = await model.complete(script(sunny));

  expect(completion.choices[0]).toMatchObject({ message: { content: sunny.answer }, finish_reason: 'stop' });
  expect(completion.usage?.total_tokens).toBeGreaterThan(10);
});

test('a streamed answer equals the whole answer, in chunks', async ({ model }) => {
  const deltas: string[] = [];

  const stream = model.stream({ ...script({ ...sunny, piece_chars: 5 }), stream_options: { include_usage: true } });
  stream.on('content', (delta) => deltas.push(delta));
  const completion = await stream.finalChatCompletion();

  expect(deltas.slice(0, 2)).toEqual(['It is', ' sunn']);
  expect(completion.choices[0]).toMatchObject({ message: { content: sunny.answer }, finish_reason: 'stop' });
  expect(completion.usage?.completion_tokens).toBeGreaterThan(5);
});

test('a stream has a role, deltas, a finish, requested usage, and [DONE]', async ({ model }) => {
  const response = await model.fetch({
    ...script({ answer: 'Hi.', final: { reasoning: 'hm' } }),
    stream: true,
    stream_options: { include_usage: true },
  });
  const events = (await response.text())
    .trim()
    .split('\n\n')
    .map((event) => event.slice('data: '.length));

  expect(response.headers.get('content-type')).toMatch('text/event-stream');
  expect(events.pop()).toBe('[DONE]');
  const chunks = events.map((event) => JSON.parse(event));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'hm' },
    { content: 'Hi.' },
    {},
    undefined,
  ]);
  expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, null, null, 'stop', undefined]);
  expect(chunks.map((chunk) => Boolean(chunk.usage))).toEqual([false, false, false, false, true]);
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
});

test('usage is absent if the script says null, and else as in the script', async ({ model }) => {
  const without = await model.complete(script({ ...sunny, final: { usage: null } }));
  const given = await model.complete(script({ final: { usage: { prompt_tokens: 7, completion_tokens: 5 } } }));

  expect(without.usage).toBeUndefined();
  expect(given.usage).toEqual({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 });
});

test('the finish reason is the finish reason of the script', async ({ model }) => {
  const completion = await model.complete(script({ ...sunny, final: { finish_reason: 'length' } }));

  expect(completion.choices[0]?.finish_reason).toBe('length');
});

test('a chunk never splits a character of two UTF-16 units', async ({ model }) => {
  const deltas: string[] = [];

  const stream = model.stream(script({ answer: 'a🌞b🌧c', piece_chars: 2 }));
  stream.on('content', (delta) => deltas.push(delta));
  await stream.done();

  expect(deltas).toEqual(['a🌞', 'b🌧', 'c']);
});

test('{{results}} becomes the results of the tools of this turn', async ({ model }) => {
  const sim = { rounds: [{ tools: [{ name: 'get_weather' }] }], answer: 'They say: {{results}}' };

  const completion = await model.complete(afterOneRound(sim, '$& 21 °C'));

  expect(completion.choices[0]?.message.content).toBe('They say: $& 21 °C');
});

test('a request without tools gets the final answer although rounds are left', async ({ model }) => {
  const sim = { rounds: [{ tools: [{ name: 'get_weather' }] }], ...sunny };

  const withoutTools = await model.complete(script(sim));
  const withNone = await model.complete({ ...script(sim), tools: [getWeather], tool_choice: 'none' });

  expect(withoutTools.choices[0]?.message.content).toBe(sunny.answer);
  expect(withNone.choices[0]?.message.content).toBe(sunny.answer);
});

test('the list of models has the model demo', async ({ model }) => {
  const models = await model.openai.models.list();

  expect(models.data.map(({ id }) => id)).toEqual(['demo']);
});
