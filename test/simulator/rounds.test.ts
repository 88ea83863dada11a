import { expect } from 'vitest';
import { afterOneRound, getWeather, script, test } from './ask-simulator.ts';

const twoCalls = {
  rounds: [
    {
      say: 'Let me look.',
      tools: [
        { name: 'get_weather', arguments: { city: 'Tokyo' } },
        { name: 'get_weather', arguments: { city: 'Paris' }, id: 'mine' },
      ],
    },
    { tools: [{ name: 'get_weather', arguments: '{"city": "Ro' }] },
  ],
};

test('a round has its text and its calls', async ({ model }) => {
  const completion = await model.complete({ ...script(twoCalls), tools: [getWeather] });

  expect(completion.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'Let me look.',
      tool_calls: [
        { id: 'call_1_0_0', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Tokyo"}' } },
        { id: 'mine', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
      ],
    },
  });
});

test('streamed parallel calls are sequential or interleaved', async ({ model }) => {
  for (const interleave of [false, true]) {
    const stream = model.stream({ ...script({ ...twoCalls, interleave, piece_chars: 4 }), tools: [getWeather] });
    const indexes: number[] = [];
    stream.on('chunk', (chunk) =>
      indexes.push(...(chunk.choices[0]?.delta.tool_calls ?? []).map((call) => call.index)),
    );
    const message = await stream.finalMessage();

    expect(message.tool_calls?.map((call) => call.type === 'function' && call.function.arguments)).toEqual([
      '{"city":"Tokyo"}',
      '{"city":"Paris"}',
    ]);
    expect(indexes.slice(0, 4)).toEqual(interleave ? [0, 1, 0, 1] : [0, 0, 0, 0]);
  }
});

test('the results of the first round lead to the second, with broken arguments', async ({ model }) => {
  const completion = await model.complete(afterOneRound(twoCalls, 'sunny'));

  expect(completion.choices[0]?.message).toMatchObject({
    content: null,
    tool_calls: [{ id: 'call_1_2_0', function: { arguments: '{"city": "Ro' } }],
  });
});

test('rounds of earlier turns are not counted', async ({ model }) => {
  const earlier = afterOneRound(twoCalls, 'sunny').messages ?? [];

  const completion = await model.complete({
    tools: [getWeather],
    messages: [...earlier, { role: 'assistant', content: 'Done.' }, ...(script(twoCalls).messages ?? [])],
  });

  expect(completion.choices[0]?.message.content).toBe('Let me look.');
  expect(completion.choices[0]?.message.tool_calls?.[0]?.id).toBe('call_2_0_0');
});

test('a call without its result is refused like at the provider', async ({ model }) => {
  const messages = afterOneRound(twoCalls, 'sunny').messages ?? [];
  const repeated = [...messages, messages[2]!];

  await expect(model.complete({ messages: messages.slice(0, 2) })).rejects.toThrow(/missing: call_1/);
  await expect(model.complete({ messages: repeated })).rejects.toThrow(/'call_1' is not such a call/);
});

test('a model that writes calls as JSON ignores tools and answers the JSON prompt', async ({ model }) => {
  const sim = { ...twoCalls, rounds: twoCalls.rounds.slice(0, 1), calls_as: 'json', answer: 'Sunny.' };
  const [user] = script(sim).messages ?? [];
  const demand = { role: 'system' as const, content: 'JSON only: {"tools":[{"tool":"name","arguments":{}}]}' };

  const native = await model.complete({ tools: [getWeather], messages: [user!] });
  const emulated = await model.complete({ messages: [demand, user!] });
  const plain = await model.complete({ messages: [user!] });

  expect(native.choices[0]?.message).toEqual({ role: 'assistant', content: 'Let me look.', refusal: null });
  expect(JSON.parse(emulated.choices[0]?.message.content ?? '')).toEqual({
    tools: [
      { tool: 'get_weather', arguments: { city: 'Tokyo' } },
      { tool: 'get_weather', arguments: { city: 'Paris' } },
    ],
  });
  expect(plain.choices[0]?.message.content).toBe('Sunny.');
});

test('a model that writes calls inline does so if the instructions explain it', async ({ model }) => {
  const sim = { ...twoCalls, rounds: twoCalls.rounds.slice(0, 1), calls_as: 'inline', answer: 'They say {{results}}.' };
  const [user] = script(sim).messages ?? [];
  const explanation = { role: 'system' as const, content: 'Write [TOOL_CALL: name {json}] to call a tool.' };
  const results = { role: 'system' as const, content: 'sunny' };

  const first = await model.complete({ messages: [explanation, user!] });
  const second = await model.complete({
    messages: [explanation, user!, { role: 'assistant', content: 'Let me look.' }, results],
  });
  const forced = await model.complete({ messages: [user!] });

  expect(first.choices[0]?.message.content).toBe(
    'Let me look.\n[TOOL_CALL: get_weather {"city":"Tokyo"}]\n[TOOL_CALL: get_weather {"city":"Paris"}]',
  );
  expect(second.choices[0]?.message.content).toBe('They say sunny.');
  expect(forced.choices[0]?.message.content).toBe('They say .');
});
