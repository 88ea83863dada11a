import { expect, test } from 'vitest';
import { finishReply, startReply, takeChunk } from '#core/llm/openai/reply-accumulator.ts';

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const calls = (...tool_calls: object[]) => chunk({ tool_calls });
const call = (args: string, more: object = {}, fn: object = {}) => ({ ...more, function: { arguments: args, ...fn } });

function parse(...chunks: object[]) {
  const reply = startReply({ provider: 'openai' });
  const deltas = chunks.flatMap((each) => takeChunk(reply, each));
  return { reply: finishReply(reply), deltas };
}

const done = chunk({}, 'stop');
const counted = (usage: object) => ({ choices: [], usage });

test.each([
  [
    'by index, by turns',
    [
      calls(call('{"a"', { index: 0, id: 'x' }, { name: 'add' }), call('{"b"', { index: 1, id: 'y' }, { name: 'mul' })),
      calls(call(':2}', { index: 1 })),
      calls(call(':1}', { index: 0 })),
    ],
  ],
  [
    'whole, all with index 0',
    [
      calls(call('{"a":1}', { index: 0, id: 'x' }, { name: 'add' })),
      calls(call('{"b":2}', { index: 0, id: 'y' }, { name: 'mul' })),
    ],
  ],
  [
    'without index, known by id',
    [
      calls(call('{"a"', { id: 'x' }, { name: 'add' })),
      calls(call('{"b"', { id: 'y' }, { name: 'mul' })),
      calls(call(':1}', { id: 'x' }), call(':2}', { id: 'y' })),
    ],
  ],
  [
    'with a made-up id and the name in every piece',
    [
      calls(call('{"a"', { index: 0, id: 'x' }, { name: 'add' })),
      calls(call(':1}', { index: 0, id: 'made-up' })),
      calls(call('{"b":2}', { index: 1, id: 'y' }, { name: 'mul' })),
    ],
  ],
])('calls are assembled %s', (_, chunks) => {
  expect(parse(...chunks, done).reply.calls).toEqual([
    { id: 'x', name: 'add', arguments: '{"a":1}' },
    { id: 'y', name: 'mul', arguments: '{"b":2}' },
  ]);
});

test('whole calls of the same tool without id or index stay separate', () => {
  const { reply } = parse(
    calls(call('{"city":"Rome"}', {}, { name: 'weather' }), call('{"city":"Bonn"}', { id: '' }, { name: 'weather' })),
    chunk({}, 'tool_calls'),
  );

  expect(reply.calls.map((each) => each.arguments)).toEqual(['{"city":"Rome"}', '{"city":"Bonn"}']);
  expect(reply.calls.map((each) => each.id)).toEqual(['', '']);
});

test.each<[form: string, chunks: object[]]>([
  [
    'by index, by turns',
    [
      calls(call('{"a"', { index: 0, id: 'x' }, { name: 'f' }), call('{"a"', { index: 1, id: 'x' }, { name: 'f' })),
      calls(call(':2}', { index: 1 }), call(':1}', { index: 0 })),
    ],
  ],
  ['whole', [calls(call('{"a":1}', { id: 'x' }, { name: 'f' }), call('{"a":2}', { id: 'x' }, { name: 'f' }))]],
])('calls with the same id are distinguished %s', (_, chunks) => {
  const { reply } = parse(...chunks, done);

  expect(reply.calls).toEqual(['{"a":1}', '{"a":2}'].map((text) => ({ id: 'x', name: 'f', arguments: text })));
});

test('a name repeated in every piece does not start a new call', () => {
  const { reply } = parse(
    calls(call('{"a"', { index: 0 }, { name: 'add' })),
    calls(call(':1}', { index: 0 }, { name: 'add' })),
    done,
  );

  expect(reply.calls).toEqual([{ id: '', name: 'add', arguments: '{"a":1}' }]);
});

test('arguments keep every byte, and absent arguments are an empty object', () => {
  const odd = '{ "a" : 1.0, "b":"\\u00fc" ';
  const { reply } = parse(
    calls(call(odd, { index: 0, id: 'x' }, { name: 'a' })),
    calls({ index: 1, id: 'y', function: { name: 'b', arguments: { c: 1 } } }),
    calls({ index: 2, id: 'z', function: { name: 'c' } }),
    done,
  );

  expect(reply.calls.map((each) => each.arguments)).toEqual([odd, '{"c":1}', '{}']);
});

test('a call truncated by length keeps its arguments so far', () => {
  const { reply } = parse(calls({ index: 0, id: 'x', function: { name: 'a' } }), chunk({}, 'length'));

  expect(reply).toMatchObject({ finishReason: 'length', calls: [{ arguments: '' }] });
});

test('a legacy function call is a call without an id', () => {
  const { reply } = parse(chunk({ function_call: { name: 'add', arguments: '{}' } }), chunk({}, 'function_call'));

  expect(reply).toMatchObject({ finishReason: 'tool_calls', calls: [{ id: '', name: 'add', arguments: '{}' }] });
});

test('a call without a name is a bad response', () => {
  expect(() => parse(calls(call('{}', { index: 0, id: 'x' })), done)).toThrow(
    expect.objectContaining({ code: 'provider_bad_response', retry: { kind: 'later' } }),
  );
});

test('calls with the finish reason stop are tool calls', () => {
  expect(parse(calls(call('{}', { index: 0, id: 'x' }, { name: 'a' })), done).reply.finishReason).toBe('tool_calls');
});

test.each(['length', 'content_filter', 'refusal'])('an empty reply with %s is a reply', (reason) => {
  expect(parse(chunk({}, reason)).reply).toMatchObject({ text: null, finishReason: reason });
});

test('a stream without a finish reason was interrupted', () => {
  expect(() => parse(chunk({ content: 'Half' }), chunk({}, ''))).toThrow(
    expect.objectContaining({ code: 'provider_unavailable', retry: { kind: 'later' } }),
  );
});

test.each([[{}], [{ type: 'ping' }], [{ choices: null }], [{ choices: [null] }]])('chunk %j is ignored', (raw) => {
  expect(takeChunk(startReply({ provider: 'openai' }), raw)).toEqual([]);
});

test.each([[{ choices: 'none' }], [chunk({ content: 5 })], [calls({ function: 'f' })]])('%j is not a chunk', (raw) => {
  expect(() => takeChunk(startReply({ provider: 'openai' }), raw)).toThrow(
    expect.objectContaining({ code: 'provider_bad_response' }),
  );
});

test.each([
  ['inside the completion', { prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 }, 8, 5],
  ['beside it (xAI)', { prompt_tokens: 10, completion_tokens: 3, total_tokens: 18 }, 8, 5],
  ['beside it and the total', { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 }, 8, 5],
  ['only in the total (Gemini)', { prompt_tokens: 10, completion_tokens: 3, total_tokens: 18 }, 8, 0],
])('output tokens include reasoning tokens counted %s', (_, usage, output, reasoning) => {
  const details = { completion_tokens_details: { reasoning_tokens: reasoning } };

  const { reply } = parse(chunk({ content: 'Hi' }), done, counted({ ...usage, ...details }));

  expect(reply.usage).toMatchObject({ output_tokens: output, total_tokens: 18, reasoning_tokens: reasoning });
});

test('cache writes are counted, and never exceed the rest of the input', () => {
  const details = { cached_tokens: 900, cache_write_tokens: 800 };
  const { reply } = parse(done, counted({ prompt_tokens: 1_000, prompt_tokens_details: details }));
  expect(reply.usage).toMatchObject({ cached_input_tokens: 900, cache_write_tokens: 100 });
});

test('the last usage wins, and cached tokens never exceed the input', () => {
  const early = { ...chunk({ content: 'Hi' }), usage: { prompt_tokens: 3, completion_tokens: null } };
  const late = { prompt_tokens: 3, completion_tokens: 2, prompt_cache_hit_tokens: 9 };
  const expected = {
    input_tokens: 3,
    output_tokens: 2,
    total_tokens: 5,
    cached_input_tokens: 3,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };

  expect(parse(early, done, counted(late)).reply.usage).toEqual(expected);
  expect(parse(early, { ...done, x_groq: { usage: late } }).reply.usage).toEqual(expected);
  expect(parse(early, { choices: [{ ...done.choices[0], usage: late }] }).reply.usage).toEqual(expected);
});

test('reasoning in two fields is shown once and sent back in one field', () => {
  const says = (text: string) => ({ reasoning: text, reasoning_details: [{ type: 'reasoning.text', index: 0, text }] });

  const { reply, deltas } = parse(chunk(says('Let me ')), chunk(says('think.')), chunk({ content: '4' }), done);

  expect(deltas.filter(({ kind }) => kind === 'reasoning').map(({ text }) => text)).toEqual(['Let me ', 'think.']);
  const block = { type: 'reasoning.text', index: 0, text: 'Let me think.' };
  expect(reply.opaque).toEqual({ message: { reasoning_details: [block] }, asked: [] });
});

test('a signed block keeps its signature, and an encrypted block is separate', () => {
  const { reply } = parse(
    chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm', signature: '' }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: '', signature: 'sig', format: null }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'e' }], content: '4' }),
    done,
  );

  expect(reply.opaque).toMatchObject({
    message: {
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm', signature: 'sig' },
        { type: 'reasoning.encrypted', data: 'e' },
      ],
    },
  });
});

test('state of a call is stored at the index of the call', () => {
  const extra_content = { google: { thought_signature: 's' } };

  const { reply } = parse(
    calls(
      call('{}', { index: 0, id: 'x' }, { name: 'a' }),
      call('{}', { index: 1, id: 'y', extra_content }, { name: 'b' }),
    ),
    done,
  );

  expect(reply.opaque).toEqual({ message: {}, asked: [null, { fields: { extra_content } }] });
});

test('thinking in a list of content parts is reasoning, the rest is text', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };

  const { reply, deltas } = parse(chunk({ content: [thinking, { type: 'text', text: 'Hi' }] }), done);

  expect(reply.text).toBe('Hi');
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'Hi' },
  ]);
});

test('only the first choice is the reply', () => {
  const { reply } = parse(
    { choices: [{ index: 1, delta: { content: 'No' }, finish_reason: 'stop' }] },
    chunk({ content: 'Yes' }, 'stop'),
  );

  expect(reply.text).toBe('Yes');
});

test('split surrogates are joined, and unpaired surrogates and NUL are replaced', () => {
  const { reply } = parse(chunk({ content: 'a\u0000\ud83d' }), chunk({ content: '\udc4b\ud83d' }), done);

  expect(reply.text).toBe('a\ufffd👋\ufffd');
});
