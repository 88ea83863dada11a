import { expect, test } from 'vitest';
import type { StreamPart } from '#core/llm/ai-sdk/reply/reply-accumulator.ts';
import type { Message } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import { finished, scriptedPackage } from '#test/llm/ai-sdk/scripted-package.ts';

const said = (signature: string) => ({ providerMetadata: { acme: { signature } } });
const options = (signature: string) => ({ providerOptions: { acme: { signature } } });
const text = (id: string, delta: string, more: object = {}): StreamPart[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id, ...more },
];
const thought = (id: string, delta: string, more: object = {}): StreamPart[] => [
  { type: 'reasoning-start', id },
  { type: 'reasoning-delta', id, delta },
  { type: 'reasoning-end', id, ...more },
];
const call = (toolCallId: string, input: string, more: object = {}): StreamPart => ({
  ...{ type: 'tool-call', toolCallId, toolName: 'add', input },
  ...more,
});

/** Returns the reply as stored, in the history of the next request. */
function asHistory({ text: content, calls, opaque }: Reply): Message[] {
  const state = JSON.parse(JSON.stringify(opaque));
  const results = calls.map(
    ({ id, name }): Message => ({ role: 'tool', callId: id, name, content: 'ok', isError: false }),
  );
  return [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content, calls, opaque: { provider: 'acme', state } },
    ...results,
  ];
}

const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object' } }] as never;

async function partsSentBack(reply: Reply, version: 'v3' | 'v4' = 'v4') {
  const { ask, called } = scriptedPackage([...text('0', 'Yes.'), finished()], { version });
  await ask({ messages: asHistory(reply), tools });
  return called[0]!.prompt.find(({ role }) => role === 'assistant')!.content;
}

const whole = [
  ...thought('0', 'Hm.', said('of the thought')),
  ...text('1', 'Let me add.', said('of the text')),
  call('call_a', '{"a":1}', said('of the call')),
  { type: 'custom', kind: 'acme.state', ...said('of its own') } as StreamPart,
  ...thought('2', ''),
  ...text('3', 'And again.'),
  call('call_b', ''),
  finished('tool-calls'),
];

test('metadata of parts is sent back with the parts, in place and verbatim', async () => {
  const { reply, deltas } = await scriptedPackage(whole).ask();

  expect(reply).toMatchObject({ text: 'Let me add.\n\nAnd again.', finishReason: 'tool_calls' });
  expect(reply.calls.map(({ arguments: args }) => args)).toEqual(['{"a":1}', '{}']);
  expect(reply.usage).toMatchObject({
    input_tokens: 11,
    cached_input_tokens: 4,
    cache_write_tokens: 0,
    reasoning_tokens: 2,
  });
  expect(deltas.map((delta) => delta.text).join('|')).toBe('Hm.|Let me add.|{"a":1}|\n\nAnd again.');
  const added = { type: 'tool-call', toolCallId: 'call_a', toolName: 'add', input: { a: 1 } };
  expect(await partsSentBack(reply)).toEqual([
    { type: 'reasoning', text: 'Hm.', ...options('of the thought') },
    { type: 'text', text: 'Let me add.', ...options('of the text') },
    { ...added, ...options('of the call') },
    { type: 'custom', kind: 'acme.state', ...options('of its own') },
    { type: 'text', text: 'And again.' },
    { ...added, toolCallId: 'call_b', input: {} },
  ]);
});

test('an older interface version gets only the parts that it supports', async () => {
  const { reply } = await scriptedPackage(whole).ask();

  const parts = (await partsSentBack(reply, 'v3')) as { type: string }[];

  expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call', 'text', 'tool-call']);
});

test('a round that a dialect rewrote is sent back as its text', async () => {
  const { reply } = await scriptedPackage(whole).ask();

  expect(await partsSentBack({ ...reply, text: 'Something else.', calls: [] })).toEqual([
    { type: 'text', text: 'Something else.' },
  ]);
});

test('a reply that is complete in its text and calls keeps no state', async () => {
  const { reply } = await scriptedPackage([...text('0', 'Yes.'), call('a', '{}'), finished()]).ask();

  expect(reply).toMatchObject({ opaque: null, finishReason: 'tool_calls' });
  expect(reply).not.toHaveProperty('warnings');
});

test('interleaved texts keep their order of arrival', async () => {
  const { reply } = await scriptedPackage([
    ...[{ type: 'text-start', id: 'a' } as const, { type: 'text-start', id: 'b' } as const],
    ...['a', 'b', 'a'].map((id) => ({ type: 'text-delta', id, delta: `${id}!`, ...said(id) }) as const),
    finished(),
  ]).ask();

  expect(reply.text).toBe('a!b!a!');
  expect((await partsSentBack(reply)) as object[]).toMatchObject([{ text: 'a!' }, { text: 'b!' }, { text: 'a!' }]);
});

test('argument pieces that are not JSON are not shown, but the whole call is', async () => {
  const { reply, deltas } = await scriptedPackage([
    { type: 'tool-input-start', id: 'a', toolName: 'add', inputEncoding: 'text' },
    { type: 'tool-input-delta', id: 'a', delta: 'plain words' },
    { type: 'tool-input-end', id: 'a' },
    call('a', '"plain words"'),
    finished(),
  ]).ask();

  expect(reply.calls).toEqual([{ id: 'a', name: 'add', arguments: '"plain words"' }]);
  expect(deltas).toEqual([{ kind: 'tool-arguments', index: 0, text: '"plain words"' }]);
});

test('a truncated reply keeps its truncated call', async () => {
  const { reply } = await scriptedPackage([
    { type: 'tool-input-start', id: 'a', toolName: 'add' },
    { type: 'tool-input-delta', id: 'a', delta: '{"a":' },
    finished('length'),
  ]).ask();

  expect(reply).toMatchObject({ finishReason: 'length', calls: [{ id: 'a', name: 'add', arguments: '{"a":' }] });
});

test('hosted calls and warnings of a provider become warnings of the reply', async () => {
  const { reply } = await scriptedPackage([
    {
      type: 'stream-start',
      warnings: [
        { type: 'unsupported', feature: 'topK', details: 'Not here.' },
        { type: 'compatibility', feature: 'reasoning' },
        { type: 'deprecated', setting: 'old', message: 'Use new.' },
        { type: 'other', message: 'Beware.' },
      ],
    },
    { type: 'tool-input-start', id: 'x', toolName: 'search', providerExecuted: true },
    { type: 'tool-input-delta', id: 'x', delta: '{}' },
    call('x', '{}', { providerExecuted: true }),
    { type: 'tool-result', toolCallId: 'x', toolName: 'search', result: 'found' },
    { type: 'source', sourceType: 'url', id: '1', url: 'https://a.example' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
    ...text('0', 'Found.'),
    finished(),
  ]).ask();

  expect(reply).toMatchObject({ text: 'Found.', calls: [], opaque: null });
  expect(reply.warnings).toEqual([
    ...['acme: topK is not supported: Not here.', 'acme: reasoning is only imitated'],
    ...['acme: old is deprecated: Use new.', 'acme: Beware.'],
    'acme sent a call of a tool that the provider runs, which Pawl does not store',
    'acme sent the result of a tool that the provider ran, which Pawl does not store',
    'acme sent sources of its answer, which Pawl does not store',
    'acme sent a file, which Pawl does not store',
  ]);
});

test('a whole call that a package sends twice is one call', async () => {
  const { reply } = await scriptedPackage([call('a', '{"x":1}'), call('a', '{"x":1}'), finished()]).ask();

  expect(reply.calls.map(({ id }) => id)).toEqual(['a']);
});

test.each([
  [[...text('0', 'Half')], 'provider_unavailable'],
  [[...text('0', 'Half'), interrupted('interrupted', 'x')], 'provider_unavailable'],
  [[...text('0', 'Half'), interrupted('other', undefined)], 'provider_unavailable'],
  [[...text('0', 'Half'), interrupted('error', 'x')], 'provider_bad_response'],
  [[call('a', '{}', { toolName: '' }), finished()], 'provider_bad_response'],
])('a stream that ends in the middle, or without an answer, fails the attempt', async (parts, code) => {
  await expect(scriptedPackage(parts).ask()).rejects.toMatchObject({ code, retry: { kind: 'later' } });
});

function interrupted(unified: 'interrupted' | 'other' | 'error', raw: string | undefined): StreamPart {
  const end = finished();
  return end.type === 'finish' ? { ...end, finishReason: { unified, raw } } : end;
}

test('more calls than a reply may have are a bad response', async () => {
  const calls = Array.from({ length: 1_001 }, (_, index) => call(`c${index}`, '{}'));

  await expect(scriptedPackage([...calls, finished()]).ask()).rejects.toMatchObject({
    code: 'provider_bad_response',
    message: expect.stringContaining('more than 1,000 tool calls'),
  });
});

test('NUL is removed from the stored state and text', async () => {
  const { reply } = await scriptedPackage([...text('0', 'a\u0000b', said('c\u0000d')), finished()]).ask();

  expect(JSON.stringify(reply)).not.toContain('\\u0000');
});
