import { expect, test } from 'vitest';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import type { Message } from '#core/turn/message.ts';
import { askOnce, says, scriptedProvider, usageOf, weather, withTools } from '#test/llm/dialects/scripted-provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const inline = (...replies: Parameters<typeof scriptedProvider>[0]) => {
  const provider = scriptedProvider(replies);
  return { asked: provider.asked, ask: (request: RoundRequest) => askOnce(chooseDialect('inline', provider), request) };
};
const history: Message[] = [
  { role: 'user', content: 'Weather in Tokyo?' },
  {
    role: 'assistant',
    content: 'Let me look.',
    calls: [{ id: 'c1', name: 'get_weather', arguments: '{"city":"Tokyo"}' }],
  },
  { role: 'tool', callId: 'c1', name: 'get_weather', content: '22 °C', isError: false },
];

test('the instructions list the tools and the marker syntax, without native tools', async () => {
  const { ask, asked } = inline(says('Hello.'));

  await ask({ ...withTools, toolChoice: 'required', parallelToolCalls: false });

  expect(asked[0]).toMatchObject({ tools: [], declaredTools: [], toolChoice: 'auto', parallelToolCalls: null });
  const instructions = asked[0]!.instructions ?? '';
  expect(instructions.startsWith('Be brief.\n\n')).toBe(true);
  for (const text of ['[TOOL_CALL: name]', '[TOOL_CALL: name {json}]', weather.name, weather.description]) {
    expect(instructions).toContain(text);
  }
  expect(instructions).toContain(JSON.stringify(weather.parameters));
  expect(instructions).toMatch(/acknowledge them naturally.*weave.*never repeat the raw\s+data/s);
});

test('the instructions say that a turn may call no tool', async () => {
  const { ask, asked } = inline(says('Hello.'));

  await ask({ ...withTools, instructions: null, turnChoice: 'none' });

  expect(asked[0]!.instructions).toMatch(/^You must not call any tool\.$/m);
  expect(asked[0]!.messages).toEqual(withTools.messages);
});

test.each<[ToolChoice, RegExp]>([
  ['required', /^In your first reply to the last input of the user you must call at least one tool\./m],
  [
    { type: 'specific', name: 'get_weather' },
    /^In your first reply .* must call exactly one tool, once: get_weather\./m,
  ],
])('the instructions of each round state tool_choice %j', async (turnChoice, stated) => {
  const { ask, asked } = inline(says('Hello.'), says('Hello.'));

  await ask({ ...withTools, toolChoice: turnChoice, turnChoice });
  await ask({ ...withTools, messages: history, turnChoice });

  expect(asked[0]!.instructions).toMatch(stated);
  expect(asked[1]!.instructions).toBe(asked[0]!.instructions);
});

test('the last message of a last round and of a repair forbids calls', async () => {
  const { ask, asked } = inline(says('Hello.'), says('Hello.'), says('Hello.'));
  const messages: Message[] = [...history, { role: 'user', content: 'Your answer does not fit.' }];

  await ask({ ...withTools, messages: history });
  await ask({ ...withTools, messages: history, mayCall: false, toolChoice: 'none' });
  await ask({ ...withTools, messages, mayCall: false, toolChoice: 'none' });

  expect(new Set(asked.map(({ instructions }) => instructions)).size).toBe(1);
  const ban = { role: 'system', content: 'In this reply you must not call any tool.' };
  expect(asked[1]!.messages).toEqual([...asked[0]!.messages, ban]);
  expect(asked[2]!.messages).toEqual([...asked[0]!.messages, messages.at(-1), ban]);
});

test('markers become calls with ids of round and index, the rest is the text', async () => {
  const text = 'Let me look.\n[TOOL_CALL: get_weather {"city":"Tokyo"}]\n[TOOL_CALL: send_postcard]';
  const { ask } = inline(says(text, { usage: usageOf(1, 2), opaque: 'state' }));

  const { reply, shown } = await ask({ ...withTools, round: 7 });

  expect(reply).toEqual({
    text: 'Let me look.',
    calls: [
      { id: 'inline_7_0', name: 'get_weather', arguments: '{"city":"Tokyo"}' },
      { id: 'inline_7_1', name: 'send_postcard', arguments: '{}' },
    ],
    finishReason: 'tool_calls',
    finishReasonRaw: 'stop',
    usage: usageOf(1, 2),
    opaque: 'state',
  });
  expect(shown).toBe('Let me look.');
});

test('a reply of only markers has no text', async () => {
  const { ask } = inline(says('[TOOL_CALL: send_postcard]'));

  const { reply, deltas } = await ask(withTools);

  expect(reply.text).toBeNull();
  expect(deltas).toEqual([]);
});

test('a marker with an unknown tool or broken JSON is a call for the worker', async () => {
  const { ask } = inline(says('[TOOL_CALL: fly_home {"to": "m]'));

  expect((await ask(withTools)).reply.calls).toEqual([{ id: 'inline_1_0', name: 'fly_home', arguments: '{"to": "m' }]);
});

test('a truncated marker stays text, and the reply stays truncated', async () => {
  const { ask } = inline(says('Wait. [TOOL_CALL: send_postcard] [TOOL_CALL: get_wea', { finishReason: 'length' }));

  const { reply, shown } = await ask(withTools);

  expect(reply).toMatchObject({ text: 'Wait. [TOOL_CALL: get_wea', finishReason: 'length' });
  expect(shown).toBe(reply.text);
});

test('reasoning is shown as it arrives', async () => {
  const provider = {
    ask: async (_request: unknown, _signal: unknown, onDelta: (delta: object) => void) => {
      onDelta({ kind: 'reasoning', text: 'I could write [TOOL_CALL: f].' });
      return says('Hi.');
    },
  };

  const { deltas } = await askOnce(chooseDialect('inline', provider as never), withTools);

  expect(deltas).toEqual([{ kind: 'reasoning', text: 'I could write [TOOL_CALL: f].' }]);
});

test('results are sent as one system message with data and instructions', async () => {
  const { ask, asked } = inline(says('It is 22 °C.'));

  await ask({ ...withTools, messages: history, round: 2 });

  const [user, said, results, ...rest] = asked[0]!.messages;
  expect([user, said]).toEqual([history[0], { role: 'assistant', content: 'Let me look.', calls: [] }]);
  expect(results?.role).toBe('system');
  expect(results?.content).toContain('get_weather {"city":"Tokyo"} answered:\n<result>\n22 °C\n</result>');
  expect(results?.content).toMatch(/Tool results.*acknowledge them naturally.*Never repeat the raw data/s);
  expect(rest).toEqual([]);
});

test('a final round asks without tools, keeps its inline history and cuts markers', async () => {
  const { ask, asked } = inline(says('Enough.\n[TOOL_CALL: get_weather]'));

  const { reply, shown } = await ask({ ...withTools, tools: [], messages: history });

  expect(asked[0]).toMatchObject({ instructions: 'Be brief.', tools: [], declaredTools: [] });
  expect(asked[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system']);
  expect(reply).toMatchObject({ text: 'Enough.', calls: [], finishReason: 'stop' });
  expect(shown).toBe('Enough.');
});

test('markers in a text stay if the request has no tools', async () => {
  const { ask, asked } = inline(says('Write [TOOL_CALL: f].'));

  const { reply } = await ask(someRequest);

  expect(asked).toEqual([someRequest]);
  expect(reply).toEqual(says('Write [TOOL_CALL: f].'));
});

test('tool_choice none drops the markers and calls no tool', async () => {
  const { ask } = inline(says('Sure. [TOOL_CALL: send_postcard]'));

  const { reply } = await ask({ ...withTools, toolChoice: 'none' });

  expect(reply).toMatchObject({ text: 'Sure.', calls: [], finishReason: 'stop' });
});

test('a reply above the bound of calls or text with markers is a bad response', async () => {
  const { ask: askMany } = inline(says('[TOOL_CALL: send_postcard]'.repeat(1_001)));
  const { ask: askLong } = inline(says('a'.repeat(1024 * 1024 + 1)));

  const failures = [(await askMany(withTools)).failure, (await askLong(withTools)).failure];

  expect(failures.map(({ code }) => code)).toEqual(['provider_bad_response', 'provider_bad_response']);
  expect(failures[0]!.message).toContain('more than 1,000 tool calls');
  expect(failures[1]!.message).toContain('more than 1 MiB of text with markers');
});

test('a refusal is shown as a refusal, and its markers are not calls', async () => {
  const said = 'First this. [TOOL_CALL: send_postcard]';
  const refusal = ' I will not write [TOOL_CALL: f].';
  const { ask } = inline(says(said + refusal, { finishReason: 'refusal', refusalFrom: said.length }));

  const { reply, shown, deltas } = await ask(withTools);

  expect(reply).toMatchObject({ text: `First this.${refusal}`, refusalFrom: 'First this.'.length });
  expect(reply.finishReason).toBe('refusal');
  expect(shown).toBe(reply.text);
  expect(deltas.at(-1)).toEqual({ kind: 'refusal', text: refusal });
});
