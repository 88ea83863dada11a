import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/anthropic/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { answer, call, roundsOf, system, user } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const render = (change: Partial<RoundRequest>) => renderRequest({ ...someRequest, ...change }, 'anthropic');
const messagesOf = (...messages: Message[]) => render({ messages }).messages;

const says = roundsOf('anthropic');
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'get_weather', input });

test('a later system message is user text with a note', () => {
  const messages = messagesOf(user('Hi'), says('Hello.'), system('Be kind.'), user('Who are you?'));

  expect(messages.at(-1)).toEqual({
    role: 'user',
    content: [text('System message, not written by the user:\nBe kind.'), text('Who are you?')],
  });
});

test('adjacent messages of one role become one message', () => {
  expect(messagesOf(user('One'), user('Two'), says('A'), says('B'), user('Three'))).toEqual([
    { role: 'user', content: [text('One'), text('Two')] },
    { role: 'assistant', content: [text('A'), text('B')] },
    { role: 'user', content: [text('Three')] },
  ]);
});

test('results of a round begin the user message after it, in order', () => {
  const messages = messagesOf(
    user('Hi'),
    says('Looking.', [call('a', '{"city": "Rome"}'), call('b')]),
    answer('a', '15°C'),
    answer('b', '12°C'),
    user('And tomorrow?'),
  );

  expect(messages.slice(1)).toEqual([
    { role: 'assistant', content: [text('Looking.'), use('a', { city: 'Rome' }), use('b')] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: '15°C' },
        { type: 'tool_result', tool_use_id: 'b', content: '12°C' },
        text('And tomorrow?'),
      ],
    },
  ]);
});

test('only an error result is marked as an error', () => {
  const messages = messagesOf(
    user('Hi'),
    says(null, [call('a')]),
    answer('a', 'Tool execution failed', { isError: true }),
  );

  expect(messages.at(-1)!.content).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: 'Tool execution failed', is_error: true },
  ]);
});

test('blank text is omitted, and an empty result becomes a note', () => {
  const messages = messagesOf(user('Hi'), says(' \n'), user(' '), says('', [call('a')]), answer('a', ' '));

  expect(messages).toEqual([
    { role: 'user', content: [text('Hi')] },
    { role: 'assistant', content: [use('a')] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '(no output)' }] },
  ]);
});

test.each([[[says('Welcome.'), user('Hi')]], [[system('Be kind.')]], [[]]])(
  'a history without a first user message gets an opening: %j',
  (messages) => {
    expect(render({ messages }).messages[0]).toEqual({
      role: 'user',
      content: [text('(The conversation begins here.)')],
    });
  },
);

test('a partial answer at the end has no trailing white space', () => {
  expect(messagesOf(user('Hi'), says('The answer is \n')).at(-1)!.content).toEqual([text('The answer is')]);
  expect(messagesOf(user('Hi'), says('Done. '), user('More')).at(1)!.content).toEqual([text('Done. ')]);
});

test.each([
  ['{"a":{"b":[1]}}', { a: { b: [1] } }],
  ['', {}],
  ['  ', {}],
  ['no json', { invalid_arguments: 'no json' }],
  ['{"a":', { invalid_arguments: '{"a":' }],
  ['[1]', { invalid_arguments: '[1]' }],
  ['null', { invalid_arguments: 'null' }],
])('arguments %j are the input %j', (args, input) => {
  const messages = messagesOf(user('Hi'), says(null, [call('a', args)]), answer('a', 'x'));

  expect(messages[1]!.content).toEqual([use('a', input)]);
});

test('call ids in a request are unique and valid on this wire', () => {
  const messages = messagesOf(
    user('Hi'),
    says(null, [call('call_0'), call('functions.x:1')]),
    answer('call_0', 'one'),
    answer('functions.x:1', 'two'),
    says(null, [call('call_0')]),
    answer('call_0', 'three'),
  );

  const ids = messages.flatMap(({ content }) => content.flatMap(({ id, tool_use_id }) => id ?? tool_use_id ?? []));
  expect(ids).toEqual(['call_0', 'functions_x_1', 'call_0', 'functions_x_1', 'call_0-2', 'call_0-2']);
});

test('an unknown tool name is changed into a valid name on this wire', () => {
  const messages = messagesOf(user('Hi'), says(null, [call('a', '{}', 'functions.get weather')]), answer('a', 'x'));

  expect(messages[1]!.content[0]).toMatchObject({ name: 'functions_get_weather' });
});

const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig=' };
const hidden = { type: 'redacted_thinking', data: 'secret' };
const thinking = { blocks: [thought, hidden, text('Looking.'), { type: 'tool_use', call: 0 }] };

test('thoughts are sent back before the text and calls, byte for byte', () => {
  const messages = messagesOf(user('Hi'), says('Looking.', [call('a')], thinking), answer('a', 'x'));

  expect(messages[1]!.content).toEqual([thought, hidden, text('Looking.'), use('a')]);
});

test('the state of another provider is dropped', () => {
  const spoken = { ...says('Looking.'), opaque: { provider: 'other', state: thinking } } as Message;

  expect(messagesOf(user('Hi'), spoken, user('?'))[1]!.content).toEqual([text('Looking.')]);
});

test.each(['junk', 7, { blocks: 'none' }, { message: {}, calls: [] }])(
  'a state that Pawl did not write is ignored: %j',
  (state) => {
    expect(messagesOf(user('Hi'), says('Hello.', [], state), user('?'))[1]!.content).toEqual([text('Hello.')]);
  },
);

test('server tools are sent back in their place, with the citations of the text', () => {
  const asked = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ encrypted_content: 'e' }] };
  const cited = { ...text('It is so.'), citations: [{ type: 'web_search_result_location', url: 'u' }] };
  const blocks = [text('Let me see.'), asked, found, cited];

  const messages = messagesOf(user('Hi'), says('Let me see.\n\nIt is so.', [], { blocks }), user('?'));

  expect(messages[1]!.content).toEqual(blocks);
});

test('a call keeps its caller', () => {
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
  const state = { blocks: [{ type: 'tool_use', caller, call: 1 }] };

  const messages = messagesOf(
    user('Hi'),
    says(null, [call('a'), call('b')], state),
    answer('a', 'x'),
    answer('b', 'y'),
  );

  expect(messages[1]!.content).toEqual([{ ...use('b'), caller }, use('a')]);
});

test('the text and calls of a message override its state', () => {
  const messages = messagesOf(user('Hi'), says('Changed.', [], thinking), user('?'));

  expect(messages[1]!.content).toEqual([thought, hidden, text('Changed.')]);
});

test('no message ends with a thought', () => {
  const cut = { blocks: [text('So:'), thought, { type: 'tool_use', call: 0 }] };

  expect(messagesOf(user('Hi'), says('So:', [], cut), user('?'))[1]!.content).toEqual([text('So:')]);
  expect(messagesOf(user('Hi'), says(null, [], { blocks: [thought] }), user('?'))).toHaveLength(1);
});
