import { expect, test } from 'vitest';
import { finishReply } from '#core/llm/anthropic/finish-reply.ts';
import { startReply, takeEvent } from '#core/llm/anthropic/reply-accumulator.ts';

const start = (index: number, content_block: unknown) => ({ type: 'content_block_start', index, content_block });
const piece = (index: number, delta: unknown) => ({ type: 'content_block_delta', index, delta });
const text = (index: number, said: string) => piece(index, { type: 'text_delta', text: said });
const end = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason } });
const use = { type: 'tool_use', id: 'a', name: 'get_weather', input: {} };
const thought = { type: 'thinking', thinking: 'Hm', signature: '' };
const signed = { type: 'signature_delta', signature: 'sig' };

function parse(...events: unknown[]) {
  const reply = startReply({ provider: 'anthropic' });
  const shown = events
    .flatMap((event) => takeEvent(reply, event))
    .flatMap((delta) => (delta.kind === 'text' ? delta.text : []));
  const { calls, ...read } = finishReply(reply);
  return { text: read.text, shown: shown.join(''), calls: calls.map((call) => call.arguments), opaque: read.opaque };
}

test.each<[string, unknown]>([
  ['a text for a delta', piece(0, '')],
  ['a list for a delta', piece(0, [])],
  ['an empty object for a block', start(1, {})],
  ['an empty reason to stop', end('')],
  ['null as a text for a reason', end('null')],
])('an event is ignored if it has %s', (_, odd) => {
  const { text: read, shown } = parse(start(0, { type: 'text', text: '' }), text(0, 'Hi'), odd, text(0, '.'), {
    type: 'message_stop',
  });
  expect([read, shown]).toEqual(['Hi.', 'Hi.']);
});

test.each<[string, unknown[]]>([
  ['in its block and again', [start(0, { ...thought, signature: 'sig' }), piece(0, signed)]],
  ['twice', [start(0, thought), piece(0, signed), piece(0, signed)]],
  ['with its thought', [start(0, thought), piece(0, { type: 'thinking_delta', thinking: '', signature: 'sig' })]],
])('a signature that is sent %s is kept once', (_, events) => {
  expect(parse(...events, start(1, use), end('tool_use')).opaque).toMatchObject({ blocks: [{ signature: 'sig' }, {}] });
});

test.each<[string, unknown[]]>([
  ['its delta names the block', [piece(0, { type: 'text', text: 'Hi.' }), end('end_turn')]],
  ['its block has no type', [start(0, { text: 'Hi.' }), end('end_turn')]],
  ['its delta has no type', [start(0, { type: 'text', text: '' }), piece(0, { text: 'Hi.' }), end('end_turn')]],
  [
    'its message comes whole without a type',
    [{ role: 'assistant', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' }],
  ],
  ['it is the content of a whole message', [{ type: 'message', content: 'Hi.', stop_reason: 'end_turn' }]],
])('a text is read if %s', (_, events) => {
  expect(parse(...events)).toMatchObject({ text: 'Hi.', shown: 'Hi.' });
});

test('a stop reason beside the delta counts', () => {
  const reply = startReply({ provider: 'anthropic' });
  for (const event of [start(0, { type: 'text', text: 'Ha' }), { type: 'message_delta', stop_reason: 'max_tokens' }])
    takeEvent(reply, event);

  expect(finishReply(reply).finishReason).toBe('length');
});

test('a stream that ends within a call and without a reason was interrupted', () => {
  const half = piece(0, { type: 'input_json_delta', partial_json: '{"city": "Be' });

  expect(() => parse(start(0, use), half, { type: 'message_stop' })).toThrow(/cut/);
});

test('a stream with an empty stop reason was interrupted', () => {
  expect(() => parse(start(0, { type: 'text', text: 'Hi' }), end(''))).toThrow(/cut/);
});

test('a text is read if its index is the index of a thought', () => {
  const thought = piece(0, { type: 'thinking_delta', thinking: 'Hm' });
  const signature = piece(0, { type: 'signature_delta', signature: 'c2ln' });
  const events = [start(0, { type: 'thinking', thinking: '' }), thought, text(0, 'Hi.'), signature, end('end_turn')];
  const { text: read, shown, opaque } = parse(...events);
  expect([read, shown]).toEqual(['Hi.', 'Hi.']);
  expect(opaque).toEqual({
    blocks: [
      { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
      { type: 'text', text: 'Hi.' },
    ],
  });
});

test('arguments are read if their piece is an object', () => {
  const delta = { type: 'input_json_delta', partial_json: { city: 'Bern' } };
  expect(parse(start(0, use), piece(0, delta), end('tool_use')).calls).toEqual(['{"city":"Bern"}']);
});

test('a whole message after its own stream is ignored', () => {
  const whole = { type: 'message', content: [{ type: 'text', text: 'Hi.' }, use], stop_reason: 'tool_use' };
  const events = [start(0, { type: 'text', text: 'Hi.' }), start(1, use), end('tool_use'), whole];
  expect(parse(...events)).toMatchObject({ text: 'Hi.', shown: 'Hi.', calls: ['{}'] });
});
