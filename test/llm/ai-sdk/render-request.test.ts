import type { LanguageModelV3CallOptions, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { finished, scriptedPackage } from '#test/llm/ai-sdk/scripted-package.ts';

const answer = [{ type: 'text-delta', id: '0', delta: 'Yes.' } as const, finished()];
const add = Tool.parse({ name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } });

async function called(request: Partial<RoundRequest>) {
  const { ask, called: calls } = scriptedPackage(answer);
  await ask(request);
  return calls[0] as LanguageModelV4CallOptions;
}

async function calledBefore(request: Partial<RoundRequest>) {
  const { ask, called: calls } = scriptedPackage(answer, { version: 'v3', supportedUrls: { '*/*': [/./] } });
  await ask(request);
  return calls[0] as LanguageModelV3CallOptions;
}

test('the package gets every requested field, and no other field', async () => {
  const plain = await called({});
  const full = await called({
    ...{
      tools: [add],
      toolChoice: { type: 'specific', name: 'add' },
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 50,
    },
    ...{ reasoningEffort: 'high', providerOptions: { acme: { cache: true } } },
    textFormat: { type: 'json_schema', name: 'place', schema: { type: 'object' }, description: 'A place.' },
  });

  const prompt = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ];
  const always = { prompt, headers: { 'x-client-request-id': 'turn_x-r1-a1' }, abortSignal: expect.any(AbortSignal) };
  expect(plain).toEqual({ ...always, providerOptions: {} });
  expect(full).toEqual({
    ...always,
    tools: [{ type: 'function', name: 'add', description: 'Adds.', inputSchema: add.parameters }],
    toolChoice: { type: 'tool', toolName: 'add' },
    ...{ temperature: 0.5, topP: 0.9, maxOutputTokens: 50, reasoning: 'high' },
    responseFormat: { type: 'json', name: 'place', schema: { type: 'object' }, description: 'A place.' },
    providerOptions: { acme: { cache: true } },
  });
});

test.each([
  ['auto', { type: 'auto' }],
  ['required', { type: 'required' }],
  ['none', { type: 'none' }],
] as const)('the tool choice %s is sent unchanged', async (toolChoice, sent) => {
  expect((await called({ tools: [add], toolChoice })).toolChoice).toEqual(sent);
});

test('json_object is sent as JSON without a schema, text without a format', async () => {
  expect((await called({ textFormat: { type: 'json_object' } })).responseFormat).toEqual({ type: 'json' });
  expect(await called({ textFormat: { type: 'text' } })).not.toHaveProperty('responseFormat');
});

const calls = [
  { id: 'call_a', name: 'add', arguments: '{"a":1}' },
  { id: 'call a', name: 'no tool!', arguments: 'broken' },
];
const history: Message[] = [
  { role: 'assistant', content: ' ', calls },
  { role: 'tool', callId: 'call_a', name: 'add', content: '', isError: false },
  { role: 'tool', callId: 'call a', name: 'no tool!', content: 'There is none.', isError: true },
  { role: 'system', content: 'It is late.' },
  { role: 'user', content: 'And?' },
];

test('calls, results, names and late system messages are valid for every package', async () => {
  const { prompt } = await called({ messages: history, tools: [add] });

  const renamed = expect.stringMatching(/^call_[0-9a-f]{32}$/);
  expect(prompt.slice(1)).toEqual([
    { role: 'user', content: [{ type: 'text', text: '(The conversation begins here.)' }] },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'call_a', toolName: 'add', input: { a: 1 } },
        { type: 'tool-call', toolCallId: renamed, toolName: 'no_tool_', input: { invalid_arguments: 'broken' } },
      ],
    },
    {
      role: 'tool',
      content: [
        { ...answerTo('call_a', 'add'), output: { type: 'text', value: '(no output)' } },
        { ...answerTo(renamed, 'no_tool_'), output: { type: 'error-text', value: 'There is none.' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'System message, not written by the user:\nIt is late.' },
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
});

function answerTo(toolCallId: string, toolName: string) {
  return { type: 'tool-result', toolCallId, toolName };
}

test.each([
  ['no tools', { tools: [] }],
  ['no tool that may be used', { tools: [add], toolChoice: 'none' }],
] as const)('earlier calls are sent as text with %s', async (_, change) => {
  const { prompt, tools } = await called({ messages: history, ...change, tools: [...change.tools] });

  expect(tools).toBeUndefined();
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.stringify(prompt)).toContain('There is none.');
});

test('ids that repeat in a history are unique in a request', async () => {
  const round = history.slice(0, 3);
  const { prompt } = await called({ messages: [...round, ...round, { role: 'user', content: 'So?' }], tools: [add] });

  const ids = prompt.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : [])) : [],
  );
  expect(new Set(ids).size).toBe(4);
});

const png = 'data:image/png;base64,iVBORw0KGgo=';
const parts: Message = {
  role: 'user',
  content: '',
  parts: [
    { type: 'input_text', text: 'Look:' },
    { type: 'input_image', image_url: png },
    { type: 'input_image', image_url: 'https://a.example/b' },
    { type: 'input_file', file_url: 'https://a.example/c.pdf' },
    { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'd.pdf' },
  ],
};

test('images and files have the form of each interface version', async () => {
  const { ask, called: calls } = scriptedPackage(answer, { supportedUrls: { '*/*': [/./] } });
  await ask({ messages: [parts] });
  const before = await calledBefore({ messages: [parts] });

  const [image, file] = [new URL('https://a.example/b'), new URL('https://a.example/c.pdf')];
  expect(calls[0]!.prompt[1]!.content).toEqual([
    { type: 'text', text: 'Look:' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
    { type: 'file', mediaType: 'image/*', data: { type: 'url', url: image } },
    { type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: file } },
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'JVBERi0=' }, filename: 'd.pdf' },
  ]);
  expect(before.prompt[1]!.content).toEqual([
    { type: 'text', text: 'Look:' },
    { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    { type: 'file', mediaType: 'image/*', data: image },
    { type: 'file', mediaType: 'application/pdf', data: file },
    { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=', filename: 'd.pdf' },
  ]);
});

test('an image URL that the model cannot fetch becomes a note, with a warning', async () => {
  const { ask, called: calls } = scriptedPackage(answer, { supportedUrls: { 'application/*': [/^https:\/\/a\./] } });

  const { reply } = await ask({ messages: [parts] });

  expect(calls[0]!.prompt[1]!.content).toMatchObject([
    { text: 'Look:' },
    { mediaType: 'image/png' },
    { text: '[image] (It cannot be shown to you here.)' },
    { data: { type: 'url' } },
    { filename: 'd.pdf' },
  ]);
  expect(reply.warnings).toEqual([
    'acme: an image by address is not supported by this model and was replaced by a note',
  ]);
});

test('images in results follow in a user message', async () => {
  const shown: Message = { role: 'tool', callId: 'call_a', name: 'add', content: 'x', isError: false };
  const image = { type: 'input_image', image_url: png } as const;
  const { prompt } = await called({
    tools: [add],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, calls: calls.slice(0, 1) },
      { ...shown, parts: [{ type: 'input_text', text: 'Here:' }, image] },
    ],
  });

  expect(prompt.slice(3)).toMatchObject([
    { role: 'tool', content: [{ output: { type: 'text', value: 'Here:\n[image]' } }] },
    {
      role: 'user',
      content: [{}, { text: 'Of the result of add (call_a):' }, { type: 'file', mediaType: 'image/png' }],
    },
  ]);
});

test('an unsupported setting leads to a warning', async () => {
  const { ask } = scriptedPackage(answer);

  const { reply } = await ask({ tools: [add], parallelToolCalls: false });

  expect(reply.warnings).toEqual([expect.stringContaining('parallel_tool_calls')]);
});
