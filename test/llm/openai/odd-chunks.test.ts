import { expect, test } from 'vitest';
import { finishReply, startReply, takeChunk } from '#core/llm/openai/reply-accumulator.ts';

const chunk = (delta: unknown, finish: unknown = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
const message = (said: object, finish: string | null = 'stop') => ({
  choices: [{ index: 0, message: said, finish_reason: finish }],
});
const weather = (args: unknown, more: object = {}) => ({ ...more, function: { name: 'get_weather', arguments: args } });

function parse(...chunks: unknown[]) {
  const reply = startReply({ provider: 'openai', toolNames: ['get_weather'] });
  const deltas = chunks.flatMap((each) => takeChunk(reply, each));
  const { text, calls, finishReason } = finishReply(reply);
  const shown = deltas.flatMap((delta) => (delta.kind === 'text' ? delta.text : [])).join('');
  return { text, shown, calls: calls.map((call) => `${call.name} ${call.arguments}`), finishReason };
}

const hi = { text: 'Hi.', shown: 'Hi.', calls: [], finishReason: 'stop' };

test.each<[string, unknown]>([
  ['null among calls', chunk({ tool_calls: [null] })],
  ['a text for calls', chunk({ tool_calls: '' })],
  ['false for calls', chunk({ tool_calls: false })],
  ['a text for a function', chunk({ tool_calls: [{ index: 0, function: '' }] })],
  ['false for content', chunk({ content: false })],
  ['null among content', chunk({ content: [null] })],
  ['an empty object for content', chunk({ content: {} })],
  ['a text for a delta', chunk('')],
  ['a list for a delta', chunk([])],
  ['an object for choices', { choices: {} }],
  ['a text among choices', { choices: [''] }],
  ['null as a text for a reason', chunk({}, 'null')],
])('a chunk is ignored if it has %s', (_, odd) => {
  expect(parse(chunk({ content: 'Hi' }), odd, chunk({ content: '.' }), chunk({}, 'stop'))).toEqual(hi);
});

test.each<[string, unknown]>([
  ['beside the delta', { choices: [{ index: 0, text: 'Hi.', finish_reason: 'stop' }] }],
  ['in an object', message({ content: [{ type: 'text', text: { value: 'Hi.', annotations: [] } }] })],
])('a text is read %s', (_, odd) => {
  expect(parse(odd)).toEqual(hi);
});

test.each<[string, unknown]>([
  ['in the delta', { choices: [{ delta: { content: 'Hi.', finish_reason: 'stop' } }] }],
  ['in camel case', { choices: [{ delta: { content: 'Hi.' }, finishReason: 'stop' }] }],
])('a stop reason is read %s', (_, odd) => {
  expect(parse(odd)).toEqual(hi);
});

test.each<[string, object]>([
  ['followed by a mark', { arguments: '{"city":"Bern"}<|im_end|>' }],
  ['followed by a bracket', { arguments: '{"city":"Bern"}}' }],
  ['called parameters', { parameters: { city: 'Bern' } }],
  ['called input', { input: '{"city":"Bern"}' }],
])('arguments are read if they are %s', (_, args) => {
  const call = { index: 0, id: 'a', function: { name: 'get_weather', ...args } };
  expect(parse(chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')).calls).toEqual(['get_weather {"city":"Bern"}']);
});

test('a call continues if later pieces have the name null', () => {
  const pieces = ['{"city":', '"Bern"}'].map((args, at) =>
    chunk({ tool_calls: [{ index: 0, function: { name: at ? 'null' : 'get_weather', arguments: args } }] }),
  );
  expect(parse(...pieces, chunk({}, 'tool_calls')).calls).toEqual(['get_weather {"city":"Bern"}']);
});

test('a call in tool_calls and in function_call is one call', () => {
  const listed = chunk({ tool_calls: [weather('{"city":"Bern"}', { index: 0, id: 'a' })] });
  const legacy = chunk({ function_call: { name: 'get_weather', arguments: '{"city":"Bern"}' } });
  const end = chunk({}, 'tool_calls');

  for (const chunks of [
    [listed, legacy],
    [legacy, listed],
  ]) {
    expect(parse(...chunks, end).calls).toEqual(['get_weather {"city":"Bern"}']);
  }
  expect(parse(legacy, end).calls).toEqual(['get_weather {"city":"Bern"}']);
});

test('a hosted search among the calls is not a call', () => {
  const search = { index: 0, id: 's', type: 'web_search', web_search: { results: [{ title: 'Bern' }] } };
  expect(parse(chunk({ content: 'Hi.', tool_calls: [search] }), chunk({}, 'stop'))).toEqual(hi);
});

test.each<[string, object]>([
  ['a part with a summary', { content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }] }],
  ['reasoning_text', { reasoning_text: 'Hm' }],
  ['thinking', { thinking: 'Hm' }],
  ['thinking_blocks', { thinking_blocks: [{ type: 'thinking', thinking: 'Hm' }] }],
])('reasoning is shown from %s', (_, said) => {
  expect(takeChunk(startReply({ provider: 'openai' }), chunk(said))).toEqual([{ kind: 'reasoning', text: 'Hm' }]);
});

test('a refusal is read from a part of the content', () => {
  const reply = startReply({ provider: 'openai' });
  takeChunk(reply, message({ content: [{ type: 'refusal', refusal: 'No.' }] }));

  expect(finishReply(reply)).toMatchObject({ text: 'No.', refusalFrom: 0, finishReason: 'refusal' });
});

test.each(['null', 'None', 'not_finished', ''])('a stream with the stop reason %j was interrupted', (word) => {
  expect(() => parse(chunk({ content: 'Hi' }, word))).toThrow(/cut/);
});

test.each<[string, object]>([
  ['says it whole', { content: 'Hi.' }],
  ['has more of it', { content: 'Hi. ' }],
  ['says it in another way', { content: 'hi' }],
  ['has no text', { content: null }],
])('a text is not repeated if a message at the end %s', (_, said) => {
  const { text, shown } = parse(chunk({ content: 'Hi' }), chunk({ content: '.' }), message(said));
  expect([text?.trim(), shown.trim()]).toEqual(['Hi.', 'Hi.']);
});

test.each<[string, unknown[]]>([
  ['has no ids', [chunk({ tool_calls: [weather('{"city":"Bern"}', { index: 0 })] })]],
  ['is the only message with calls', [chunk({ content: 'A moment.' })]],
])('a call is made once if the message at the end %s', (_, chunks) => {
  const said = { content: null, tool_calls: [weather('{"city":"Bern"}')] };
  expect(parse(...chunks, message(said, 'tool_calls')).calls).toEqual(['get_weather {"city":"Bern"}']);
});

test('a stream that repeats its message without a stop reason was interrupted', () => {
  const both = { index: 0, delta: { content: 'Hi' }, message: { content: 'Hi' }, finish_reason: null };
  expect(() => parse({ choices: [both] })).toThrow(/cut/);
});

test('text and calls are one reply if a server puts them into separate choices', () => {
  const choices = [{ message: { content: 'A moment.' } }, { message: { tool_calls: [weather('{}')] } }];
  expect(parse({ choices: choices.map((each) => ({ ...each, finish_reason: 'tool_calls' })) })).toMatchObject({
    text: 'A moment.',
    calls: ['get_weather {}'],
  });
});

test('a function call counts if the list of tool calls is empty', () => {
  const { calls } = parse(chunk({ tool_calls: [], function_call: weather('{}').function }), chunk({}, 'function_call'));
  expect(calls).toEqual(['get_weather {}']);
});

test.each<[string, unknown]>([
  ['has no type', [{ text: 'Hi.' }]],
  ['is a text', ['Hi', '.']],
])('a part of the content is text if it %s', (_, content) => {
  expect(parse(chunk({ content }), chunk({}, 'stop'))).toEqual(hi);
});

test('a call without a name and arguments is omitted beside another call', () => {
  const { calls } = parse(chunk({ tool_calls: [weather('{}', { index: 0, id: 'a' })] }), {
    ...chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: '', arguments: '' } }] }, 'tool_calls'),
  });
  expect(calls).toEqual(['get_weather {}']);
});
