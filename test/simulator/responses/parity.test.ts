import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { expect } from 'vitest';
import { SUMMARY_INSTRUCTIONS, summaryPrompt } from '#core/turn/compaction/summary-prompt.ts';
import { getWeather as chatTool } from '../ask-simulator.ts';
import { getWeather, script, sentBack, stateless, test } from './ask-responses.ts';

const rounds = [
  { say: 'Let me look.', tools: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }, { name: 'get_weather' }] },
  { tools: [{ name: 'get_weather', arguments: '{"city": "Ro' }] },
];

test('a script plays the same rounds and call ids over both wires', async ({ model }) => {
  const content = JSON.stringify({ sim: { rounds, answer: 'They say: {{results}}' } });
  const messages: object[] = [{ role: 'user', content }];
  const input: ResponseInputItem[] = [{ role: 'user', content }];

  for (let round = 1; round <= 3; round += 1) {
    const completion = await model.openai.chat.completions.create({
      model: 'demo',
      messages: messages as [],
      tools: [chatTool],
    });
    const response = await model.respond({ input, tools: [getWeather] });
    const { message } = completion.choices[0]!;
    const calls = response.output.filter((item) => item.type === 'function_call');

    expect(response.output_text || null).toBe(message.content);
    expect(calls.map((call) => [call.call_id, call.name, call.arguments])).toEqual(
      (message.tool_calls ?? []).map((call) => call.type === 'function' && [call.id, ...Object.values(call.function)]),
    );
    messages.push(
      message,
      ...calls.map(({ call_id: id }) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` })),
    );
    input.push(...sentBack(response.output));
    input.push(
      ...calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: `of ${call_id}` })),
    );
  }
  const answer = input.at(-1);
  expect(answer).toMatchObject({ content: [{ text: expect.stringContaining('of call_1_3_0') }] });
});

test('instructions are the system message of calls in text and of summaries', async ({ model }) => {
  const one = { rounds: rounds.slice(0, 1) };

  const inline = await model.respond({
    ...script({ ...one, calls_as: 'inline' }),
    instructions: 'Write [TOOL_CALL: name {json}] to call a tool.',
  });
  const emulated = await model.respond({
    ...script({ ...one, calls_as: 'json' }),
    instructions: 'JSON only: {"tools":[{"tool":"name","arguments":{}}]}',
  });
  const summary = await model.respond({
    instructions: SUMMARY_INSTRUCTIONS,
    input: summaryPrompt([{ role: 'user', content: '{"sim":{"summary":{"say":"They met."}}}' }], null),
  });

  expect(inline.output_text).toContain('[TOOL_CALL: get_weather {"city":"Tokyo"}]');
  expect(JSON.parse(emulated.output_text)).toMatchObject({ tools: [{ tool: 'get_weather' }, {}] });
  expect(summary.output_text).toBe('They met.');
});

test('a broken script and a request that is too long fail on the Responses wire', async ({ model }) => {
  const broken = model.respond(script({ anwser: 'typo' }));
  const tooLong = model.respond(script({ context_tokens: 10 }));
  const noTools = model.respond({ ...script({ refuses_tools: true }), tools: [getWeather] });

  await expect(broken).rejects.toMatchObject({ status: 400, code: 'invalid_script' });
  await expect(tooLong).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
  await expect(noTools).rejects.toThrow(/does not support tools/);
});

test('onRequest gets a Responses request as sent and as messages', async ({ model }) => {
  await model.respond({ instructions: 'Be kind.', input: 'Hi', temperature: 0.2 });
  await model.openai.chat.completions.create({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }] });

  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi' },
  ];
  expect(model.requests).toMatchObject([
    { path: '/v1/responses', sent: { instructions: 'Be kind.', input: 'Hi' }, body: { temperature: 0.2, messages } },
    { path: '/v1/chat/completions', sent: { messages: [{ content: 'Hi' }] }, body: { messages: [{ content: 'Hi' }] } },
  ]);
});

test('onRequest gets text, refusal and calls of a reply in one message', async ({ model }) => {
  const sim = { rounds: [{ reasoning: 'hm', say: 'Well', refusal: 'no', tools: [{ name: 'get_weather' }] }] };
  const { input } = script(sim);

  const { output } = await model.respond({ input, tools: [getWeather], ...stateless });
  const answer = { type: 'function_call_output' as const, call_id: 'call_1_0_0', output: 'sunny' };
  await model.respond({ input: [...input, ...sentBack(output), answer] });

  const calls = [{ id: 'call_1_0_0', function: { name: 'get_weather', arguments: '{}' } }];
  expect(model.requests[1]!.body.messages.slice(1)).toMatchObject([
    { role: 'assistant', content: 'Well', refusal: 'no', tool_calls: calls },
    { role: 'tool', tool_call_id: 'call_1_0_0', content: 'sunny' },
  ]);
});

test('onRequest gets a Responses request with refused encrypted content', async ({ model }) => {
  const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'foreign' };

  await model.post({ input: [reasoning, { role: 'assistant', content: 'Yes.' }] });

  expect(model.requests).toMatchObject([{ sent: { input: [reasoning, {}] } }]);
});
