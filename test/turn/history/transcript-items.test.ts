import { expect, test } from 'vitest';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { Message } from '#core/turn/message.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const call = (call_id: string, name = 'get_weather'): InputItem => ({
  ...{ type: 'function_call', call_id, name },
  arguments: '{"city":"Rome"}',
});
const output = (call_id: string, text: string): InputItem => ({ type: 'function_call_output', call_id, output: text });
const image = { type: 'input_image' as const, image_url: 'https://example.com/cat.png' };
const handedOver = (...ids: string[]) =>
  makeRound(1, 'Looking.', [
    ...ids.map((id) => ({ id, name: 'get_weather', result: HANDED_OVER })),
    { id: 'call_server', name: 'now' },
  ]);
const over = (own: Partial<Turn> = {}) =>
  makeTurn({ ...{ status: 'completed', rounds: [handedOver('call_0', 'call_1')], output: 'Looking.' }, ...own });

const ofInput = (...input: InputItem[]) => transcriptOf([makeTurn({ input })]);
const shape = (messages: Message[]) =>
  messages.map((message) => {
    if (message.role === 'tool') return `${message.callId}${message.isError ? ' failed' : ''}: ${message.content}`;
    if (message.role !== 'assistant') return `${message.role}: ${message.content}`;
    return `assistant: ${message.content ?? '-'} [${message.calls.map(({ id }) => id).join()}]`;
  });

test('a text and the calls after it are one message, with results in call order', () => {
  const messages = ofInput(
    { role: 'user', content: 'How is Rome?' },
    { role: 'assistant', content: 'Looking.' },
    ...[call('a'), call('b'), output('b', 'wet'), output('a', 'dry')],
    ...[call('c'), output('c', 'warm')],
    { role: 'assistant', content: 'Fine.' },
  );

  expect(shape(messages)).toEqual([
    ...['user: How is Rome?', 'assistant: Looking. [a,b]', 'a: dry', 'b: wet'],
    ...['assistant: - [c]', 'c: warm', 'assistant: Fine. []'],
  ]);
});

test('a custom call has one argument, and a server call has its own result', () => {
  const messages = ofInput(
    { type: 'custom_tool_call', call_id: 'p', name: 'patch', input: 'line 1\n"line 2"' },
    { type: 'custom_tool_call_output', call_id: 'p', output: 'done' },
    { type: 'mcp_call', server_label: 'docs', name: 'find', arguments: '{}', output: 'found', error: null },
    { type: 'mcp_call', server_label: 'pawl', name: 'now', arguments: '{}', output: null, error: 'no clock' },
    { role: 'user', content: 'And?' },
  );

  expect(messages).toEqual([
    {
      ...{ role: 'assistant', content: null },
      calls: [{ id: 'p', name: 'patch', arguments: '{"input":"line 1\\n\\"line 2\\""}' }],
    },
    { role: 'tool', callId: 'p', name: 'patch', content: 'done', isError: false },
    {
      ...{ role: 'assistant', content: null },
      calls: [
        { id: 'mcp_1', name: 'docs__find', arguments: '{}' },
        { id: 'mcp_2', name: 'now', arguments: '{}' },
      ],
    },
    { role: 'tool', callId: 'mcp_1', name: 'docs__find', content: 'found', isError: false },
    { role: 'tool', callId: 'mcp_2', name: 'now', content: 'no clock', isError: true },
    { role: 'user', content: 'And?' },
  ]);
});

test('opaque state belongs only to the assistant message that follows it', () => {
  const state = (value: string): InputItem => ({ type: 'opaque_state', provider: 'anthropic', state: value });
  const messages = ofInput(
    ...[state('first'), call('a'), state('second'), call('b')],
    ...[output('a', 'dry'), output('b', 'wet'), state('lost')],
    ...[
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Hello.' },
    ],
  );

  expect(messages.flatMap((message) => (message.role === 'assistant' ? [message.opaque?.state] : []))).toEqual([
    'first',
    'second',
    undefined,
  ]);
});

test('a compaction is a user message and ends the assistant message before it', () => {
  const messages = ofInput(
    { role: 'assistant', content: 'Looking.' },
    { type: 'compaction', summary: 'It is sunny.' },
    ...[call('a'), output('a', 'dry')],
  );

  expect(shape(messages)).toEqual([
    'assistant: Looking. []',
    'user: Summary of the conversation so far, which stands in its place:\n\nIt is sunny.',
    ...['assistant: - [a]', 'a: dry'],
  ]);
});

test('a developer message is a system message, and parts accompany their text', () => {
  const messages = ofInput(
    { role: 'developer', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'One' },
        { type: 'input_text', text: 'Two' },
      ],
    },
    { role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image] },
    call('a'),
    { type: 'function_call_output', call_id: 'a', output: [image] },
  );

  expect(messages).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'One\nTwo' },
    { role: 'user', content: 'What is this?\n[image]', parts: [{ type: 'input_text', text: 'What is this?' }, image] },
    expect.objectContaining({ role: 'assistant' }),
    { role: 'tool', callId: 'a', name: 'get_weather', content: '[image]', isError: false, parts: [image] },
  ]);
});

test('the next input answers handed-over calls in place, in any order', () => {
  const next = makeTurn({
    input: [{ role: 'user', content: 'Here.' }, output('call_1', 'wet'), output('call_0', 'dry')],
  });

  expect(shape(transcriptOf([over(), next]))).toEqual([
    ...['user: Hi', 'assistant: Looking. [call_0,call_1,call_server]', 'call_0: dry', 'call_1: wet'],
    ...['call_server: ok', 'user: Here.'],
  ]);
});

test('a result that the next input lacks was cancelled, even if it arrives later', () => {
  const native = makeTurn({
    input: [{ role: 'user', content: 'Never mind.' }, output('call_1', 'wet')],
    output: 'Ok.',
  });
  const late = makeTurn({ input: [output('call_0', 'dry'), { role: 'user', content: 'And?' }] });

  const lines = shape(transcriptOf([over(), native, late]));

  expect(lines[2]).toMatch(/^call_0 failed: Tool execution failed \(cancelled\)/);
  expect(lines.slice(3)).toEqual([
    ...['call_1: wet', 'call_server: ok', 'user: Never mind.', 'assistant: Ok. []', 'user: And?'],
  ]);
});

test('the text of a round that handed over calls appears once', () => {
  const inOutput = over({ rounds: [{ ...handedOver('call_0'), text: null }] });

  expect(shape(transcriptOf([inOutput]))[1]).toBe('assistant: Looking. [call_0,call_server]');
  expect(transcriptOf([inOutput])).toHaveLength(4);
  expect(transcriptOf([over({ rounds: [{ ...handedOver('a'), text: null }], output: '' })])[1]?.content).toBeNull();
});

test('a result answers the latest open call if a model repeats call ids', () => {
  const next = makeTurn({ input: [output('call_0', 'first'), call('call_0'), output('call_0', 'second')] });

  const lines = shape(transcriptOf([over({ rounds: [handedOver('call_0')] }), next]));

  expect(lines.filter((line) => line.startsWith('call_0'))).toEqual(['call_0: first', 'call_0: second']);
  expect(shape(ofInput(call('x'), call('x'), output('x', 'late'), output('x', 'early')))).toEqual([
    ...['assistant: - [x]', 'x: early', 'assistant: - [x]', 'x: late'],
  ]);
});
