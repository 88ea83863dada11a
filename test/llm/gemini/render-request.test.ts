import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { contentsOf, round } from '#test/llm/gemini/history.ts';
import { answer, call, user } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = Tool.parse({ name: 'get_weather', description: 'Tells the weather', parameters });
const bare = Tool.parse({ name: 'ping' });
const render = (change: Partial<RoundRequest>) => renderRequest({ ...someRequest, ...change }, 'gemini');
test('gemini: a bare request has no field that was not requested', () => {
  expect(render({})).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: {},
  });
});

test('gemini: a round is one model content, and its results one user content', () => {
  const contents = contentsOf([
    user('Hi'),
    round('Looking.', [call('call_1', '{"city": "Rome"}'), call('call_2')]),
    answer('call_1', '15°C'),
    answer('call_2', '{"degrees": 3}'),
  ]);

  expect(contents).toEqual([
    { role: 'user', parts: [{ text: 'Hi' }] },
    {
      role: 'model',
      parts: [
        { text: 'Looking.' },
        { functionCall: { name: 'get_weather', args: { city: 'Rome' } } },
        { functionCall: { name: 'get_weather', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'get_weather', response: { result: '15°C' } } },
        { functionResponse: { name: 'get_weather', response: { degrees: 3 } } },
      ],
    },
  ]);
});

test.each([
  ['{"a":{"b":1}}', { a: { b: 1 } }],
  ['[1,"x"]', { result: [1, 'x'] }],
  ['5', { result: '5' }],
  ['plain {text}', { result: 'plain {text}' }],
  ['{broken', { result: '{broken' }],
  ['', { result: '(no output)' }],
  ['{"id":12345678901234567890}', { result: '{"id":12345678901234567890}' }],
])('gemini: the result %j is sent as the response %j', (content, response) => {
  const contents = contentsOf([user('Hi'), round(null, [call('c')]), answer('c', content)]);

  expect(contents.at(-1)!.parts![0]!.functionResponse!.response).toEqual(response);
});

test('gemini: a failed call is answered with an error, even if its text is JSON', () => {
  const contents = contentsOf([user('Hi'), round(null, [call('c')]), answer('c', '{"a":1}', { isError: true })]);

  expect(contents.at(-1)!.parts![0]!.functionResponse!.response).toEqual({ error: '{"a":1}' });
});

test.each([
  ['', {}],
  ['  ', {}],
  ['{"a":1}', { a: 1 }],
  ['no json', { invalid_arguments: 'no json' }],
  ['[1]', { invalid_arguments: '[1]' }],
  ['null', { invalid_arguments: 'null' }],
])('gemini: the arguments %j are sent back as %j', (text, args) => {
  const contents = contentsOf([user('Hi'), round(null, [call('c', text)]), answer('c', 'ok')]);

  expect(contents[1]!.parts![0]!.functionCall!.args).toEqual(args);
});

test('gemini: user texts are merged, model texts separated, empty texts omitted', () => {
  const contents = contentsOf([
    user('One'),
    user(' '),
    user('Two'),
    round('', []),
    round(' ', []),
    round('Yes', []),
    round('and no', []),
    user('Three'),
  ]);

  expect(contents).toEqual([
    { role: 'user', parts: [{ text: 'One' }, { text: 'Two' }] },
    { role: 'model', parts: [{ text: 'Yes' }] },
    { role: 'user', parts: [{ text: 'Go on.' }] },
    { role: 'model', parts: [{ text: 'and no' }] },
    { role: 'user', parts: [{ text: 'Three' }] },
  ]);
});

test('gemini: results and the next user message are one user content', () => {
  const contents = contentsOf([user('Hi'), round(null, [call('c')]), answer('c', 'ok'), user('And now?')]);

  expect(contents.at(-1)).toEqual({
    role: 'user',
    parts: [{ functionResponse: { name: 'get_weather', response: { result: 'ok' } } }, { text: 'And now?' }],
  });
});

test('gemini: a history that begins or ends with the model gets a user content', () => {
  const contents = contentsOf([round('Welcome.', []), user('Hi'), round('Hello', [])]);

  expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'model', 'user']);
  expect(contents.every(({ parts }) => parts![0]!.text)).toBe(true);
  expect(contentsOf([])).toEqual([{ role: 'user', parts: [{ text: expect.any(String) }] }]);
});

test('gemini: first system messages are instructions, later system messages user text', () => {
  const messages: Message[] = [
    { role: 'system', content: 'Be kind.' },
    user('Hi'),
    { role: 'system', content: 'Be quick.' },
    user('Well?'),
  ];

  const { systemInstruction, contents } = render({ messages });

  expect(systemInstruction).toEqual({ parts: [{ text: 'Be brief.\n\nBe kind.' }] });
  expect(contents).toEqual([
    {
      role: 'user',
      parts: [{ text: 'Hi' }, { text: 'System message, not written by the user:\nBe quick.' }, { text: 'Well?' }],
    },
  ]);
});

test('gemini: a tool is sent as name, description and schema, if it has a schema', () => {
  expect(render({ tools: [weather, bare] }).tools).toEqual([
    {
      functionDeclarations: [
        { name: 'get_weather', description: 'Tells the weather', parametersJsonSchema: parameters },
        { name: 'ping' },
      ],
    },
  ]);
});

test.each([
  ['auto', undefined],
  ['none', { mode: 'NONE' }],
  ['required', { mode: 'ANY' }],
  [
    { type: 'specific', name: 'get_weather' },
    { mode: 'ANY', allowedFunctionNames: ['get_weather'] },
  ],
] as const)('gemini: tool choice %j is %j on the wire', (toolChoice, expected) => {
  const { toolConfig } = render({ tools: [weather], toolChoice });

  expect(toolConfig?.functionCallingConfig).toEqual(expected);
});

test('gemini: a request without tools has no tool fields', () => {
  const body = render({ toolChoice: 'required', parallelToolCalls: false, declaredTools: [weather] });

  expect(body).not.toHaveProperty('tools');
  expect(body).not.toHaveProperty('toolConfig');
});

test('gemini: a final round declares no tools, even if its history has calls', () => {
  const messages = [user('Hi'), round(null, [call('c')]), answer('c', 'ok')];

  const body = render({ messages, declaredTools: [weather] });

  expect(JSON.stringify(body.contents)).toContain('functionCall');
  expect(body).not.toHaveProperty('tools');
  expect(body).not.toHaveProperty('toolConfig');
});

test('gemini: temperature and the token limit are sent', () => {
  expect(render({ temperature: 0, maxOutputTokens: 64 }).generationConfig).toEqual({
    temperature: 0,
    maxOutputTokens: 64,
  });
});

test('gemini: top_p, stop, seed and effort are sent beside the provider options', () => {
  const providerOptions = { thinkingConfig: { includeThoughts: true } };

  expect(
    render({ topP: 0.5, stop: ['END'], seed: 0, reasoningEffort: 'minimal', providerOptions }).generationConfig,
  ).toEqual({
    topP: 0.5,
    stopSequences: ['END'],
    seed: 0,
    thinkingConfig: { thinkingLevel: 'minimal', includeThoughts: true },
  });
});

test('gemini: thoughts are requested if shown, unless the options disable them', () => {
  const configOf = (own: Parameters<typeof render>[0]) => render(own).generationConfig;
  const providerOptions = { thinkingConfig: { includeThoughts: false } };

  expect(configOf({ reasoningSummary: 'auto' })).toEqual({ thinkingConfig: { includeThoughts: true } });
  expect(configOf({ reasoningSummary: 'auto', providerOptions })).toEqual(providerOptions);
  expect(configOf({})).toEqual({});
});

test.each([
  [{ type: 'text' }, {}],
  [{ type: 'json_object' }, { responseMimeType: 'application/json' }],
  [
    { type: 'json_schema', name: 'place', schema: { ...parameters, minProperties: 1 } },
    { responseMimeType: 'application/json', responseJsonSchema: parameters },
  ],
] as const)('gemini: the text format %j is %j on the wire', (textFormat, expected) => {
  expect(render({ textFormat }).generationConfig).toEqual(expected);
});
