import { expect, test } from 'vitest';
import { finishReply } from '#core/llm/anthropic/finish-reply.ts';
import { startReply, takeEvent } from '#core/llm/anthropic/reply-accumulator.ts';

const start = (usage?: object) => ({ type: 'message_start', message: { role: 'assistant', content: [], usage } });
const end = (stop_reason: string | null, usage?: object) => ({ type: 'message_delta', delta: { stop_reason }, usage });
const stop = { type: 'message_stop' };
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const words = (index: number, text: string) => piece(index, { type: 'text_delta', text });
const json = (index: number, partial_json: string) => piece(index, { type: 'input_json_delta', partial_json });
const text = { type: 'text', text: '' };
const use = (id: string, name = 'add') => ({ type: 'tool_use', id, name, input: {} });

function parse(...events: object[]) {
  const reply = startReply({ provider: 'anthropic' });
  const deltas = [start(), ...events].flatMap((each) => takeEvent(reply, each));
  return { reply: finishReply(reply), deltas };
}

const done = [end('end_turn'), stop];

test('text, a thought and several calls are assembled from their pieces', () => {
  const { reply, deltas } = parse(
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    piece(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    piece(0, { type: 'thinking_delta', thinking: 'think.' }),
    piece(0, { type: 'signature_delta', signature: 'c2ln' }),
    { type: 'content_block_stop', index: 0 },
    open(1, text),
    words(1, 'Bo'),
    { type: 'ping' },
    words(1, 'th.'),
    open(2, use('a')),
    json(2, ''),
    json(2, '{"x":'),
    open(3, use('b', 'mul')),
    json(3, '{ "y": 2 }'),
    json(2, ' 1.0}'),
    end('tool_use'),
    stop,
  );

  expect(reply).toMatchObject({
    text: 'Both.',
    calls: [
      { id: 'a', name: 'add', arguments: '{"x": 1.0}' },
      { id: 'b', name: 'mul', arguments: '{ "y": 2 }' },
    ],
    finishReason: 'tool_calls',
    finishReasonRaw: 'tool_use',
  });
  expect(reply.opaque).toEqual({
    blocks: [
      { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' },
      { type: 'text', text: 'Both.' },
      { type: 'tool_use', call: 0 },
      { type: 'tool_use', call: 1 },
    ],
  });
  expect(deltas.filter(({ kind }) => kind === 'tool-arguments')).toEqual([
    { kind: 'tool-arguments', index: 0, text: '{"x":' },
    { kind: 'tool-arguments', index: 1, text: '{ "y": 2 }' },
    { kind: 'tool-arguments', index: 0, text: ' 1.0}' },
  ]);
});

test('a reply of text and plain calls keeps no state', () => {
  const { reply } = parse(open(0, text), words(0, 'Hi'), open(1, { ...use('a'), caller: { type: 'direct' } }), ...done);

  expect(reply.opaque).toBeNull();
});

test('absent arguments are an empty object, unless the reply was truncated', () => {
  expect(parse(open(0, use('a')), json(0, ''), end('tool_use'), stop).reply.calls[0]!.arguments).toBe('{}');
  expect(parse(open(0, use('a')), end('max_tokens'), stop).reply.calls[0]!.arguments).toBe('');
});

test('arguments that are not JSON are kept unchanged', () => {
  const { reply } = parse(open(0, use('a')), json(0, '{"a": oops'), end('tool_use'), stop);

  expect(reply.calls[0]!.arguments).toBe('{"a": oops');
});

test('a redacted thought is kept unchanged', () => {
  const redacted = { type: 'redacted_thinking', data: 'EncryptedBytes==' };

  const { reply } = parse(open(0, redacted), open(1, text), words(1, 'Hi'), ...done);

  expect(reply).toMatchObject({ text: 'Hi', opaque: { blocks: [redacted, { type: 'text', text: 'Hi' }] } });
});

test('server tools are state, and a blank line separates the texts around them', () => {
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'u', encrypted_content: 'e' }] };
  const citation = { type: 'web_search_result_location', url: 'u' };
  const { reply, deltas } = parse(
    open(0, text),
    words(0, 'Let me see.'),
    open(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
    json(1, '{"query":"x"}'),
    open(2, found),
    open(3, { type: 'text', text: '', citations: [] }),
    piece(3, { type: 'citations_delta', citation }),
    words(3, 'It is'),
    words(3, ' so.'),
    open(4, text),
    words(4, ' Really.'),
    ...done,
  );

  expect(reply).toMatchObject({ text: 'Let me see.\n\nIt is so. Really.', calls: [], finishReason: 'stop' });
  expect(deltas.map((delta) => delta.text).join('')).toBe(reply.text);
  expect(reply.opaque).toEqual({
    blocks: [
      { type: 'text', text: 'Let me see.' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
      found,
      { type: 'text', text: 'It is so.', citations: [citation] },
      { type: 'text', text: ' Really.' },
    ],
  });
});

test('incomplete blocks of a truncated reply are not kept', () => {
  const { reply } = parse(
    open(0, text),
    words(0, 'So'),
    open(1, { type: 'thinking', thinking: 'Hm', signature: '' }),
    open(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
    json(2, '{"que'),
    end('max_tokens'),
    stop,
  );

  expect(reply).toMatchObject({ text: 'So', finishReason: 'length', opaque: null });
});

test.each([
  ['end_turn', false, 'stop'],
  ['end_turn', true, 'tool_calls'],
  ['stop_sequence', false, 'stop'],
  ['tool_use', true, 'tool_calls'],
  ['max_tokens', true, 'length'],
  ['model_context_window_exceeded', false, 'length'],
  ['refusal', true, 'refusal'],
  ['pause_turn', true, 'tool_calls'],
  ['compaction', true, 'other'],
  [null, false, 'stop'],
] as const)('stop reason %s with calls %s is %s, and kept', (raw, calls, finishReason) => {
  const blocks = calls ? [open(1, use('a'))] : [];

  const { reply } = parse(open(0, text), words(0, 'Hi'), ...blocks, end(raw), stop);

  expect(reply).toMatchObject({ finishReason, finishReasonRaw: raw });
});

test('tokens that a cache read or wrote count as input', () => {
  const counted = {
    ...{ input_tokens: 3, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 1 },
    cache_creation: { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 5 },
  };
  const details = { output_tokens_details: { thinking_tokens: 4 } };

  const { reply } = parse(
    start(counted),
    open(0, text),
    words(0, 'Hi'),
    end('end_turn', { output_tokens: 9, ...details }),
    stop,
  );

  expect(reply.usage).toEqual({
    input_tokens: 123,
    output_tokens: 9,
    total_tokens: 132,
    cached_input_tokens: 100,
    cache_write_tokens: 20,
    cache_write_1h_tokens: 5,
    reasoning_tokens: 4,
  });
});

test('the last token count wins, and a reply without a count has null', () => {
  const later = { input_tokens: 50, cache_read_input_tokens: null, output_tokens: 9 };
  const message = [open(0, text), words(0, 'Hi')];

  const parsed = parse(start({ input_tokens: 3, output_tokens: 1 }), ...message, end('end_turn', later), stop);

  expect(parsed.reply.usage).toMatchObject({ input_tokens: 50, output_tokens: 9, reasoning_tokens: 0 });
  expect(parse(...message, ...done).reply.usage).toBeNull();
});

test('a message without message_stop counts only if it has a stop reason', () => {
  expect(parse(open(0, text), words(0, 'Hi'), end('end_turn')).reply).toMatchObject({
    text: 'Hi',
    finishReason: 'stop',
  });
  expect(() => parse(open(0, text), words(0, 'Hi'))).toThrow(
    expect.objectContaining({ code: 'provider_unavailable', retry: { kind: 'later' } }),
  );
});

test.each(['max_tokens', 'refusal'])('an empty reply with %s is a reply', (reason) => {
  expect(parse(end(reason), stop).reply).toMatchObject({ text: null, calls: [] });
});

test('a reply of a thought alone has more than its text', () => {
  const thought = { type: 'thinking', thinking: 'Hm', signature: 's' };

  expect(parse(open(0, thought), ...done).reply).toMatchObject({ text: null, hasMore: true });
  expect(parse(open(0, text), words(0, '\n\n'), ...done).reply).not.toHaveProperty('hasMore');
});

test('unknown events, blocks and pieces are ignored', () => {
  const { reply } = parse(
    { type: 'news', about: 'x' },
    open(0, text),
    words(0, 'Hi'),
    piece(0, { type: 'shine_delta', shine: 1 }),
    ...done,
  );

  expect(reply.text).toBe('Hi');
});

test.each([[{}], [[]], ['text'], [null], [{ type: 'news', index: 'x' }]])('the event %j is ignored', (raw) => {
  expect(takeEvent(startReply({ provider: 'anthropic' }), raw)).toEqual([]);
});

test.each([[{ ...open(0, text), content_block: 'x' }], [json(5, '{}')]])('the event %j cannot be read', (raw) => {
  expect(() => takeEvent(startReply({ provider: 'anthropic' }), raw)).toThrow(
    expect.objectContaining({ code: 'provider_bad_response' }),
  );
});

test('a call without a name is a bad response', () => {
  expect(() => parse(open(0, use('a', '')), ...done)).toThrow(
    expect.objectContaining({ code: 'provider_bad_response' }),
  );
});

test('split surrogates are joined, and unpaired surrogates and NUL are replaced', () => {
  const { reply } = parse(open(0, text), words(0, 'a\u0000\ud83d'), words(0, '\udc4b\ud83d'), ...done);

  expect(reply.text).toBe('a\ufffd👋\ufffd');
});
