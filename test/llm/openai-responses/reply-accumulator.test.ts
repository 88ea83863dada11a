import { expect, test } from 'vitest';
import { finishReply } from '#core/llm/openai-responses/finish-reply.ts';
import { startReply, takeEvent } from '#core/llm/openai-responses/reply-accumulator.ts';
import {
  callItem,
  endEvent,
  messageItem,
  outputOf,
  type ResponseEnd,
  reasoningItem,
  responseObject,
  responseStream,
  type ScriptedItem,
} from '#test/llm/responses-events.ts';

const eventsIn = (stream: string[]): object[] => stream.map((event) => JSON.parse(event.split('data: ')[1]!));

function parse(...events: unknown[]) {
  const reply = startReply();
  const deltas = events.flatMap((event) => takeEvent(reply, event));
  const answering = { provider: 'openai', toolNames: ['get_weather'] };
  return { reply: finishReply(reply, answering), deltas };
}

const read = (items: ScriptedItem[], end?: ResponseEnd) => parse(...eventsIn(responseStream(items, end)));
const done = (item: object, index?: unknown) => ({ type: 'response.output_item.done', output_index: index, item });
const [empty] = eventsIn([endEvent([])]);
const weather = (id: string, args = '{"city":"Bern"}', more: object = {}) =>
  callItem({ id, name: 'get_weather', arguments: [args] }, more);
const { item: hello } = messageItem(['Hello.']);

test('the reply is the last snapshot, with any items and deltas before it', () => {
  const before = eventsIn(responseStream([messageItem(['Half'])]).slice(0, -1));

  const { reply, deltas } = parse(...before, ...eventsIn([endEvent([hello])]));

  expect(reply.text).toBe('Hello.');
  expect(deltas).toEqual([{ kind: 'text', text: 'Half' }]);
});

test('a snapshot without output uses the done items in order of their index', () => {
  const { reply } = parse(done(weather('b').item, 2), done(hello, 1), done(reasoningItem(['Hm.']).item, 0), empty);

  expect(reply).toMatchObject({ text: 'Hello.', calls: [{ id: 'b' }], finishReason: 'tool_calls' });
  const items = (reply.opaque as { items: { type: string }[] }).items;
  expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
});

test.each([
  ['at the same index', 0, 0],
  ['without an index', undefined, undefined],
  ['with an index that is not a number', 'x', 'x'],
])('a second item %s is a separate item', (_, first, second) => {
  const { item: other } = messageItem(['And you?'], { id: 'msg_2' });

  const { reply } = parse(done(hello, first), done(other, second), done(weather('a').item, 2), empty);

  expect(reply).toMatchObject({ text: 'Hello.And you?', calls: [{ id: 'a' }] });
});

test('an item that is done twice is one item', () => {
  const call = weather('a').item;

  const { reply } = parse(done(hello, 0), done(call, 1), done(hello, 0), done(call, 1), empty);

  expect(reply).toMatchObject({ text: 'Hello.', calls: [{ id: 'a' }] });
  expect(reply.calls).toHaveLength(1);
});

test('a whole response is read like a stream and shown to watchers', () => {
  const items = [reasoningItem(['Hm.']), messageItem(['Hello.']), weather('a')];

  const { reply, deltas } = parse(responseObject(outputOf(items)));

  expect(reply).toEqual(read(items).reply);
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'Hello.' },
    { kind: 'tool-arguments', index: 0, text: '{"city":"Bern"}' },
  ]);
});

test('a stream of only the last event is shown to watchers', () => {
  expect(parse(...eventsIn([endEvent([hello])])).deltas).toEqual([{ kind: 'text', text: 'Hello.' }]);
});

test.each([
  { type: 'response.queued', response: responseObject([]) },
  { type: 'response.in_progress', response: { status: 'in_progress', output: [hello] } },
  { type: 'response.news.delta', delta: 'No' },
  { type: 'response.output_text.annotation.added', annotation: { type: 'url_citation', url: 'x' } },
  { type: 'response.audio.delta', delta: 'UklGRg==' },
  { type: 'response.metadata', headers: {} },
  { type: 'keepalive', sequence_number: 7 },
  { type: 'response.output_item.added', output_index: 9, item: { type: 'news_call', id: 'n_1' } },
  {},
])('the event %j is ignored', (event) => {
  const { reply, deltas } = parse(event, ...eventsIn(responseStream([messageItem(['Hello.'])])), event);

  expect(reply).toMatchObject({ text: 'Hello.', finishReason: 'stop' });
  expect(deltas).toEqual([{ kind: 'text', text: 'Hello.' }]);
});

test('a step of a hosted call is shown as progress without text', () => {
  const step = { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' };
  const { reply, deltas } = parse(step, ...eventsIn([endEvent([hello])]));

  expect(reply.text).toBe('Hello.');
  expect(deltas).toEqual([
    { kind: 'reasoning', text: '' },
    { kind: 'text', text: 'Hello.' },
  ]);
});

test('the type in the data decides, and events need no sequence numbers', () => {
  const { reply, deltas } = parse(
    { type: 'response.output_text.delta', delta: 'Hello.' },
    { type: 'response.completed', response: { output: [hello] } },
  );

  expect(reply).toMatchObject({ text: 'Hello.', finishReason: 'stop', usage: null });
  expect(deltas).toHaveLength(1);
});

test.each([
  [{ status: 'incomplete', reason: 'max_output_tokens' }, 'length', 'max_output_tokens'],
  [{ status: 'incomplete', reason: 'content_filter' }, 'content_filter', 'content_filter'],
  [{ status: 'incomplete', reason: 'steered' }, 'other', 'steered'],
  [{ status: 'incomplete', reason: null }, 'other', 'incomplete'],
  [{ status: 'completed' }, 'stop', 'completed'],
] as const)('a response that ends with %j is %s', (end, finishReason, finishReasonRaw) => {
  expect(read([messageItem(['Hello.'])], end).reply).toMatchObject({ finishReason, finishReasonRaw });
});

test.each([
  ['response.completed', 'in_progress', null, 'stop'],
  ['response.completed', 'queued', null, 'stop'],
  ['response.incomplete', 'completed', { reason: 'max_output_tokens' }, 'length'],
  ['response.incomplete', 'in_progress', { reason: 'content_filter' }, 'content_filter'],
])('the last event %s decides, with the status %s or without a status', (type, status, details, finishReason) => {
  for (const more of [{ status }, {}, { status: null }]) {
    const event = { type, response: { ...more, incomplete_details: details, output: [hello] } };

    expect(parse(event).reply).toMatchObject({ text: 'Hello.', finishReason });
  }
});

test('calls without an id at the same index are two calls if call_id differs', () => {
  const [one, other] = ['a', 'b'].map((id) => done(weather(id, '{}', { id: undefined }).item, 0));

  expect(parse(one, other, empty).reply.calls.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('the type of a part decides about its text, with any other fields', () => {
  const parts = [
    { type: 'output_text', text: 'hello', refusal: '' },
    { type: 'a_new_part', text: 'hidden' },
    { type: 'output_text', text: ' world', refusal: 'hidden' },
  ];

  const { reply, deltas } = parse(...eventsIn([endEvent([{ ...hello, content: parts }])]));

  expect(reply).toMatchObject({ text: 'hello world', refusalFrom: null, finishReason: 'stop' });
  expect(deltas.map(({ kind }) => kind)).toEqual(['text', 'text']);
});

test('a truncated call keeps the finish reason length, so that it does not run', () => {
  const cut = weather('a', '{"city":"Be', { status: 'incomplete' });

  const { reply } = read([cut], { status: 'incomplete', reason: 'max_output_tokens' });

  expect(reply).toMatchObject({ finishReason: 'length', calls: [{ arguments: '{"city":"Be' }] });
});

test('a refusal is text, with its position in the reply', () => {
  const refusal = { type: 'refusal', refusal: 'I cannot.' };
  const { item } = messageItem(['Well. ']);
  const said = { ...item, content: [...(item.content as object[]), refusal] };
  const delta = { type: 'response.refusal.delta', delta: 'I cannot.' };

  const { reply, deltas } = parse(delta, ...eventsIn([endEvent([said])]));

  expect(reply).toMatchObject({ text: 'Well. I cannot.', refusalFrom: 6, finishReason: 'refusal' });
  expect(deltas).toEqual([{ kind: 'refusal', text: 'I cannot.' }]);
});

test('several messages of one reply are one text, in order', () => {
  const comment = messageItem(['I look. '], { phase: 'commentary' });
  const answer = messageItem(['It rains.'], { id: 'msg_2', phase: 'final_answer' });

  expect(read([comment, weather('a'), answer]).reply).toMatchObject({
    text: 'I look. It rains.',
    calls: [{ id: 'a' }],
    finishReason: 'tool_calls',
  });
});

test.each([
  ['functions.get_weather', 'get_weather'],
  ['get_weather<|channel|>json', 'get_weather'],
  ['get_weather:0', 'get_weather'],
  ['get_time', 'get_time'],
])('the call name %s is read as %s', (given, name) => {
  expect(read([weather('a', '{}', { name: given })]).reply.calls).toEqual([{ id: 'a', name, arguments: '{}' }]);
});

test('a call without a name is a bad response', () => {
  expect(() => read([weather('a', '{}', { name: '' })])).toThrow(
    expect.objectContaining({ code: 'provider_bad_response', retry: { kind: 'later' } }),
  );
});

test('calls with the same id and different arguments are two calls', () => {
  const { reply } = read([weather('a', '{"city":"Bern"}'), weather('a', '{"city":"Rome"}', { id: 'fc_2' })]);

  expect(reply.calls.map(({ arguments: args }) => args)).toEqual(['{"city":"Bern"}', '{"city":"Rome"}']);
});

test.each([
  ['', '{}'],
  ['null', '{}'],
  ['[]', '{}'],
  [JSON.stringify('{"city":"Bern"}'), '{"city":"Bern"}'],
  ['{}{"city":"Bern"}', '{"city":"Bern"}'],
  ['{"city":"Bern"}{"city":"Bern"}', '{"city":"Bern"}'],
  ['{"city":"Bern"}<|im_end|>', '{"city":"Bern"}'],
  ['{"city": oops', '{"city": oops'],
])('the arguments %j are read as %j', (given, args) => {
  expect(read([weather('a', given)]).reply.calls[0]?.arguments).toBe(args);
});

test('arguments sent as an object become JSON text', () => {
  expect(read([weather('a', '', { arguments: { city: 'Bern' } })]).reply.calls[0]?.arguments).toBe('{"city":"Bern"}');
});

test('NUL and unpaired surrogates in a text are replaced', () => {
  expect(read([messageItem(['a\u0000\ud83d'])]).reply.text).toBe('a\ufffd\ufffd');
});
