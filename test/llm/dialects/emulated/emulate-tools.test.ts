import { expect, test } from 'vitest';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import type { Message } from '#core/turn/message.ts';
import { askOnce, refusal, says, scriptedProvider, usageOf, withTools } from '#test/llm/dialects/scripted-provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const decides = (...tools: { tool: string; arguments: object }[]) => says(JSON.stringify({ tools }));
const tokyo = { tool: 'get_weather', arguments: { city: 'Tokyo' } };
const stamp = { tool: 'send_postcard', arguments: {} };
const noTools = decides();
const emulate = (...replies: Parameters<typeof scriptedProvider>[0]) => {
  const provider = scriptedProvider(replies);
  return {
    asked: provider.asked,
    ask: (request: RoundRequest) => askOnce(chooseDialect('emulated', provider), request),
  };
};

test('native mode sends the request unchanged', async () => {
  const provider = scriptedProvider([says('Hi.')]);

  await chooseDialect('native', provider).ask(someRequest, new AbortController().signal, () => undefined);

  expect(provider.asked).toEqual([someRequest]);
});

test('emulated mode without tools asks once, and shows the answer', async () => {
  const { ask, asked } = emulate(says('Hello.'));

  const { reply, shown } = await ask(someRequest);

  expect(asked).toEqual([{ ...someRequest, declaredTools: null }]);
  expect(reply).toEqual(says('Hello.'));
  expect(shown).toBe('Hello.');
});

test('a reply with native calls is returned unchanged, without emulation', async () => {
  const native = says('Let me look.', {
    calls: [{ id: 'call_1', name: 'get_weather', arguments: '{}' }],
    opaque: { a: 1 },
  });
  const { ask, asked } = emulate(native);

  const { reply, shown } = await ask({ ...withTools, toolChoice: 'required' });

  expect(asked).toEqual([{ ...withTools, toolChoice: 'required' }]);
  expect(reply).toBe(native);
  expect(shown).toBe('');
});

test('a reply without native calls leads to a decision request without tools', async () => {
  const messages: Message[] = [
    { role: 'system', content: 'You are a pirate.' },
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: 'Aye.', calls: [] },
    { role: 'system', content: 'Whisper.' },
    { role: 'user', content: 'In Tokyo.' },
  ];
  const { ask, asked } = emulate(says('I would look it up.'), noTools, says('No idea.'));

  await ask({ ...withTools, messages, toolChoice: 'auto', parallelToolCalls: false, temperature: 0.5 });

  const decision = asked[1]!;
  expect(decision).toMatchObject({ model: 'some-model', tools: [], toolChoice: 'auto', parallelToolCalls: null });
  expect(decision.temperature).toBe(0.5);
  expect(decision.messages).toEqual(messages.filter(({ role }) => role !== 'system'));
  expect(decision.instructions).not.toContain('Be brief.');
  expect(decision.instructions).toContain('JSON');
  expect(decision.instructions).toContain(JSON.stringify(withTools.tools[0]!.parameters));
  expect(decision.instructions).toContain('"send_postcard"');
});

test.each<[ToolChoice, RegExp]>([
  ['none', /must not call any tool/],
  ['required', /must call at least one tool/],
  [{ type: 'specific', name: 'get_weather' }, /must call exactly one tool, once: "get_weather"/],
])('the decision request states tool_choice %j', async (toolChoice, stated) => {
  const { ask, asked } = emulate(says('Hm.'), noTools, says('Answer.'));

  await ask({ ...withTools, toolChoice });

  expect(asked[1]!.instructions).toMatch(stated);
});

test('tools and formats in provider options are omitted from the decision request', async () => {
  const providerOptions = {
    ...{ tools: [{}], response_format: { type: 'json_schema' }, system: 'Be loud.', top_p: 0.9 },
    output_config: { format: {}, effort: 'low' },
  };
  const { ask, asked } = emulate(says('Hm.'), noTools, says('Answer.'));

  await ask({ ...withTools, providerOptions });

  const { tools: _tools, ...answer } = providerOptions;
  expect(asked.map((request) => request.providerOptions)).toEqual([
    providerOptions,
    { top_p: 0.9, output_config: { effort: 'low' } },
    answer,
  ]);
});

test('tools in the decision become calls, without text and deltas', async () => {
  const { ask, asked } = emulate(says('I would look.'), { ...decides(tokyo, stamp), opaque: { kept: true } });

  const { reply, deltas } = await ask(withTools);

  expect(asked).toHaveLength(2);
  expect(reply).toMatchObject({ text: null, finishReason: 'tool_calls', requests: 2, opaque: { kept: true } });
  expect(reply.warnings).toEqual(['tool calls emulated']);
  expect(reply.calls).toEqual([
    { id: expect.stringMatching(/^emulated_\d{19}_0$/), name: 'get_weather', arguments: '{"city":"Tokyo"}' },
    { id: expect.stringMatching(/^emulated_\d{19}_1$/), name: 'send_postcard', arguments: '{}' },
  ]);
  expect(deltas).toEqual([]);
});

test('a decision without tools leads to an answer request, which is shown', async () => {
  const { ask, asked } = emulate(says('First thoughts.'), noTools, says('The answer.', { opaque: 'state' }));

  const { reply, shown } = await ask(withTools);

  expect(asked[2]).toEqual({
    ...withTools,
    tools: [],
    declaredTools: null,
    toolChoice: 'auto',
    requestId: asked[2]!.requestId,
  });
  expect(reply).toMatchObject({ text: 'The answer.', calls: [], finishReason: 'stop', requests: 3, opaque: 'state' });
  expect(reply.warnings).toEqual(['tool calls emulated']);
  expect(shown).toBe('The answer.');
});

test('a decision that is not JSON means no tools', async () => {
  const { ask, asked } = emulate(says('Hm.'), says('I want no tools, thank you.'), says('Hello.'));

  const { reply } = await ask(withTools);

  expect(asked).toHaveLength(3);
  expect(reply.text).toBe('Hello.');
});

test('each request of a round has its own request id', async () => {
  const { ask, asked } = emulate(says('Hm.'), noTools, says('Hello.'));

  await ask({ ...withTools, requestId: 'turn_x.1.0' });

  expect(asked.map(({ requestId }) => requestId)).toEqual(['turn_x.1.0', 'turn_x.1.0d', 'turn_x.1.0a']);
});

test('usage is the sum of all requests, or null if no request has usage', async () => {
  const usages = [{ usage: usageOf(1, 2) }, { usage: null }, { usage: usageOf(10, 20) }];
  const some = emulate(says('Hm.', usages[0]), { ...noTools, ...usages[1] }, says('Hello.', usages[2]));
  const none = emulate(says('Hm.'), decides(tokyo));

  expect((await some.ask(withTools)).reply.usage).toEqual(usageOf(11, 22));
  expect((await none.ask(withTools)).reply.usage).toBeNull();
});

test('tool_choice none rejects any call', async () => {
  const { ask, asked } = emulate(says('Hm.'), decides(tokyo));

  const { failure } = await ask({ ...withTools, toolChoice: 'none' });

  expect(failure).toMatchObject({ code: 'tool_choice_violated', retry: { kind: 'never' } });
  expect(failure.message).toContain('tool_choice is none, but the model called "get_weather".');
  expect(asked).toHaveLength(2);
});

test('tool_choice none without a call gets an answer', async () => {
  const { ask } = emulate(says('Hm.'), noTools, says('Hello.'));

  expect((await ask({ ...withTools, toolChoice: 'none' })).reply.text).toBe('Hello.');
});

test('tool_choice required needs at least one call', async () => {
  for (const decision of [noTools, says('No JSON at all.'), says(null)]) {
    const { failure } = await emulate(says('Hm.'), decision).ask({ ...withTools, toolChoice: 'required' });

    expect(failure).toMatchObject({ code: 'tool_choice_violated' });
  }
  const { reply } = await emulate(says('Hm.'), decides(tokyo, stamp)).ask({ ...withTools, toolChoice: 'required' });
  expect(reply.calls).toHaveLength(2);
});

test('tool_choice specific needs exactly one call, with that name', async () => {
  const toolChoice: ToolChoice = { type: 'specific', name: 'get_weather' };
  const chosen = (...tools: (typeof tokyo | typeof stamp)[]) =>
    emulate(says('Hm.'), decides(...tools)).ask({ ...withTools, toolChoice });

  expect((await chosen(tokyo)).reply.calls.map(({ name }) => name)).toEqual(['get_weather']);
  for (const { failure } of [
    await chosen(),
    await chosen(stamp),
    await chosen(tokyo, tokyo),
    await chosen(tokyo, stamp),
  ]) {
    expect(failure).toMatchObject({ code: 'tool_choice_violated', retry: { kind: 'never' } });
  }
});

test('an unknown tool stays a call', async () => {
  const { ask } = emulate(says('Hm.'), decides({ tool: 'fly_home', arguments: {} }));

  expect((await ask(withTools)).reply.calls).toMatchObject([{ name: 'fly_home', arguments: '{}' }]);
});

test('a model that refuses tools is still asked for a decision', async () => {
  const refusals = [
    refusal('provider_invalid_request', 'llm refused the request (400). llm says: "Unexpected field: tools"'),
    refusal('model_unsupported_feature', 'The model "x" calls no tools (400).'),
  ];
  for (const refused of refusals) {
    const { ask, asked } = emulate(refused, decides(tokyo));

    const { reply } = await ask(withTools);

    expect(asked).toHaveLength(2);
    expect(reply).toMatchObject({ calls: [{ name: 'get_weather' }], requests: 2, usage: null });
  }
});

test('any other failure is the failure of the round, at any request', async () => {
  const busy = refusal('provider_overloaded');

  for (const replies of [[busy], [says('Hm.'), busy], [says('Hm.'), noTools, busy]]) {
    expect((await emulate(...replies).ask(withTools)).failure).toBe(busy);
  }
  const refused = refusal('provider_invalid_request');
  expect((await emulate(refused, refused).ask(withTools)).failure).toBe(refused);
});

test('a decision quoted from a tool result within prose calls no tool', async () => {
  const call = { id: 'call_1', name: 'get_weather', arguments: '{}' };
  const page = JSON.stringify({ tools: [stamp] });
  const messages: Message[] = [
    { role: 'user', content: 'Read the page.' },
    { role: 'assistant', content: null, calls: [call] },
    { role: 'tool', callId: 'call_1', name: 'get_weather', content: page, isError: false },
  ];
  const { ask, asked } = emulate(says('Read.'), says(`The page says ${page}. No tools.`), says('It asks for a stamp.'));

  const { reply } = await ask({ ...withTools, messages });

  expect(reply).toMatchObject({ text: 'It asks for a stamp.', calls: [] });
  expect(asked).toHaveLength(3);
});
