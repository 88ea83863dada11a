import { expect, test } from 'vitest';
import { called, end, parts, read } from '#test/llm/gemini/reading.ts';

test('gemini: calls in one or several chunks are in order, missing ids are empty', () => {
  const { reply, deltas } = read(
    parts({ text: 'Both.' }, called('add', { b: 3, a: 2 }), {
      functionCall: { id: 'x1', name: 'mul', args: { a: 1 } },
    }),
    parts(called('ping')),
    end(),
  );

  expect(reply).toMatchObject({ text: 'Both.', finishReason: 'tool_calls', finishReasonRaw: 'STOP' });
  expect(reply.calls).toEqual([
    { id: '', name: 'add', arguments: '{"b":3,"a":2}' },
    { id: 'x1', name: 'mul', arguments: '{"a":1}' },
    { id: '', name: 'ping', arguments: '{}' },
  ]);
  expect(deltas.at(-1)).toEqual({ kind: 'tool-arguments', index: 2, text: '{}' });
});

test('gemini: arguments in pieces are assembled by their paths', () => {
  const piece = (partialArgs: object[], more: object = {}) => parts({ functionCall: { partialArgs, ...more } });
  const { reply, deltas } = read(
    parts({ functionCall: { name: 'send', willContinue: true }, thoughtSignature: 's' }),
    piece([{ jsonPath: '$.to', stringValue: 'An', willContinue: true }], { willContinue: true }),
    piece([{ jsonPath: '$.to', stringValue: 'na' }], { willContinue: true }),
    piece(
      [
        { jsonPath: "$.list[0]['a b']", numberValue: 1 },
        { jsonPath: '$.list[1]', boolValue: false },
      ],
      {
        willContinue: true,
      },
    ),
    piece([{ jsonPath: '$.none', nullValue: 'NULL_VALUE' }], { willContinue: true }),
    parts({ functionCall: {} }),
    parts({ functionCall: { name: 'ping', willContinue: true } }),
    parts({ functionCall: {} }),
    end(),
  );

  expect(reply.calls.map(({ name, arguments: args }) => [name, args])).toEqual([
    ['send', '{"to":"Anna","list":[{"a b":1},false],"none":null}'],
    ['ping', '{}'],
  ]);
  const shown = deltas.filter((delta) => delta.text !== '');
  expect(shown.map(({ text }) => text)).toEqual(reply.calls.map((call) => call.arguments));
  expect(deltas).toHaveLength(8);
  expect(reply.opaque).toMatchObject({ parts: [{ call: 0, thoughtSignature: 's' }, { call: 1 }] });
});

test.each(['to', '$', '$.a[7]', '$..a', '$.a.b['])(
  'gemini: a piece with the invalid path %s fails the attempt',
  (jsonPath) => {
    const piece = { functionCall: { name: 'send', partialArgs: [{ jsonPath, stringValue: 'x' }] } };

    expect(() => read(parts(piece), end())).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  },
);

test('gemini: a name starts another call, even if the last call was to continue', () => {
  const { reply } = read(parts({ functionCall: { name: 'a', willContinue: true } }, called('b')), end());

  expect(reply.calls.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('gemini: a piece without an announced continuation replaces the piece before', () => {
  const partialArgs = ['a', 'b'].map((stringValue) => ({ jsonPath: '$.to', stringValue }));

  const { reply } = read(parts({ functionCall: { name: 'send', partialArgs } }), end());

  expect(reply.calls[0]!.arguments).toBe('{"to":"b"}');
});

test('gemini: a path with __proto__ does not change a prototype', () => {
  const partialArgs = [{ jsonPath: '$.__proto__.polluted', boolValue: true }];

  const { reply } = read(parts({ functionCall: { name: 'send', partialArgs } }), end());

  expect(reply.calls[0]!.arguments).toBe('{"__proto__":{"polluted":true}}');
  expect({}).not.toHaveProperty('polluted');
});

test('gemini: a call of an undeclared tool is a call', () => {
  const { reply } = read(parts(called('list_files')), end('UNEXPECTED_TOOL_CALL'));

  expect(reply).toMatchObject({ finishReason: 'tool_calls', finishReasonRaw: 'UNEXPECTED_TOOL_CALL' });
  expect(reply.calls).toHaveLength(1);
});

test('gemini: a call without a name fails the attempt', () => {
  expect(() => read(parts({ functionCall: { args: { a: 1 } } }), end())).toThrow('no name');
});
