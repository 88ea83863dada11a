import { expect, test } from 'vitest';
import { finishReply, startReply, takeChunk } from '#core/llm/gemini/parse-stream.ts';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import type { Delta } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const parts = (...parts: object[]) => ({ candidates: [{ content: { parts } }] });
const end = (finishReason = 'STOP', more: object = {}) => ({ candidates: [{ finishReason }], ...more });

function read(...chunks: object[]) {
  const draft = startReply('gemini');
  const deltas: Delta[] = chunks.flatMap((chunk) => takeChunk(draft, chunk));
  return { reply: finishReply(draft), deltas };
}

/** What goes back of a reply, once it is stored as JSON. */
function sentBack({ reply: { text, calls, opaque } }: ReturnType<typeof read>) {
  const stored = JSON.parse(JSON.stringify({ provider: 'gemini', state: opaque }));
  const message = { role: 'assistant', content: text, calls, opaque: stored } as const;
  const { contents } = renderRequest(
    { ...someRequest, messages: [{ role: 'user', content: 'Hi' }, message] },
    'gemini',
  );
  return (contents as { parts: object[] }[])[1]!.parts;
}

const called = (name: string, args?: object, more: object = {}) => ({
  functionCall: { name, ...(args ? { args } : {}) },
  ...more,
});

test('gemini: several calls in one chunk and in several are put in order, missing ids stay empty', () => {
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

test('gemini: thoughts are reasoning, never text, and are not stored', () => {
  const { reply, deltas } = read(parts({ text: 'Let me see.', thought: true }, { text: 'Yes.' }), end());

  expect(reply).toMatchObject({ text: 'Yes.', opaque: null });
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Let me see.' },
    { kind: 'text', text: 'Yes.' },
  ]);
});

test('gemini: arguments that arrive in pieces are put together along their paths', () => {
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
  'gemini: a piece at %s fits nowhere and is a failed attempt',
  (jsonPath) => {
    const piece = { functionCall: { name: 'send', partialArgs: [{ jsonPath, stringValue: 'x' }] } };

    expect(() => read(parts(piece), end())).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  },
);

test('gemini: a name like __proto__ is only a name', () => {
  const partialArgs = [{ jsonPath: '$.__proto__.polluted', boolValue: true }];

  const { reply } = read(parts({ functionCall: { name: 'send', partialArgs } }), end());

  expect(reply.calls[0]!.arguments).toBe('{"__proto__":{"polluted":true}}');
  expect({}).not.toHaveProperty('polluted');
});

test('gemini: signatures come back on exactly the parts they came on', () => {
  const came = [
    { text: 'One ', thoughtSignature: 'c2ln/+==' },
    { text: 'two three' },
    { functionCall: { name: 'add', args: { b: 1, a: 2 } }, thoughtSignature: 's2' },
    { functionCall: { name: 'mul', args: {} } },
    { text: '', thoughtSignature: 's3' },
  ];

  const reading = read(
    parts(came[0]!, { text: 'two' }),
    parts({ text: ' three' }),
    parts(came[2]!, came[3]!),
    parts(came[4]!),
    end(),
  );

  expect(sentBack(reading)).toEqual(came);
});

test('gemini: a signed thought and code that ran at Google go back verbatim, media do not', () => {
  const thought = { text: 'Hm \u0000', thought: true, thoughtSignature: 's1' };
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };
  const reading = read(
    parts(thought, code, { inlineData: { data: 'AA', mimeType: 'image/png' } }, { text: '1' }),
    end(),
  );

  expect(sentBack(reading)).toEqual([{ ...thought, text: 'Hm \uFFFD' }, code, { text: '1' }]);
});

test('gemini: a reply that wants nothing back leaves no state', () => {
  expect(read(parts({ text: 'Hi' }, called('ping')), parts({ text: '' }), end()).reply.opaque).toBeNull();
});

test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'OTHER', 'STOP', 'NEW_WORD'])(
  'gemini: %s without anything in it is a failed attempt',
  (reason) => {
    expect(() => read(parts({ text: '' }), end(reason))).toThrow(
      expect.objectContaining({ code: 'provider_bad_response', retry: { kind: 'later' } }),
    );
  },
);

test('gemini: a malformed call is a failed attempt even behind a text', () => {
  expect(() => read(parts({ text: 'I will call' }), end('MALFORMED_FUNCTION_CALL'))).toThrow('MALFORMED_FUNCTION_CALL');
  expect(() => read(parts({ text: 'I will call' }), end('UNEXPECTED_TOOL_CALL'))).toThrow('UNEXPECTED_TOOL_CALL');
});

test('gemini: a call of a tool that was not declared is a call, whose answer tells the model so', () => {
  const { reply } = read(parts(called('list_files')), end('UNEXPECTED_TOOL_CALL'));

  expect(reply).toMatchObject({ finishReason: 'tool_calls', finishReasonRaw: 'UNEXPECTED_TOOL_CALL' });
  expect(reply.calls).toHaveLength(1);
});

test.each(['MAX_TOKENS', 'SAFETY', 'RECITATION', 'MODEL_ARMOR'])(
  'gemini: an empty reply that ends by %s is a reply',
  (reason) => {
    expect(read(end(reason)).reply).toMatchObject({ text: null, calls: [], finishReasonRaw: reason });
  },
);

test.each([
  [{ blockReason: 'PROHIBITED_CONTENT' }, 'PROHIBITED_CONTENT'],
  [{ blockReasonMessage: 'No.' }, 'BLOCKED_REASON_UNSPECIFIED'],
])('gemini: a refused prompt (%j) is an empty filtered reply', (promptFeedback, raw) => {
  const { reply } = read({ promptFeedback, usageMetadata: { promptTokenCount: 7 } });

  expect(reply).toMatchObject({ text: null, finishReason: 'content_filter', finishReasonRaw: raw });
  expect(reply.usage).toMatchObject({ input_tokens: 7, output_tokens: 0 });
});

test('gemini: ratings of a prompt that passed are no refusal', () => {
  const { reply } = read({ promptFeedback: { safetyRatings: [] }, ...parts({ text: 'Hi' }) }, end());

  expect(reply.finishReason).toBe('stop');
});

test('gemini: a stream without a finish reason was cut', () => {
  expect(() => read(parts({ text: 'Hi' }))).toThrow(
    expect.objectContaining({ code: 'provider_unavailable', retry: { kind: 'later' } }),
  );
});

test('gemini: a call without a name can be answered by nobody', () => {
  expect(() => read(parts({ functionCall: { args: { a: 1 } } }), end())).toThrow('no name');
});

test('gemini: tokens of thoughts are output, those of tools at Google input, and a later count replaces an earlier', () => {
  const usageMetadata = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 5,
    candidatesTokenCount: 3,
    thoughtsTokenCount: 4,
    cachedContentTokenCount: 8,
    totalTokenCount: 22,
  };

  const { reply } = read(
    { ...parts({ text: 'Hi' }), usageMetadata: { promptTokenCount: 10 } },
    end('STOP', { usageMetadata }),
    { candidates: [], usageMetadata: { trafficType: 'ON_DEMAND' } },
  );

  expect(reply.usage).toEqual({
    input_tokens: 15,
    output_tokens: 7,
    total_tokens: 22,
    cached_input_tokens: 8,
    reasoning_tokens: 4,
  });
});

test('gemini: a count that cannot be read costs no reply', () => {
  expect(read(parts({ text: 'Hi' }), end('STOP', { usageMetadata: 'many' })).reply).toMatchObject({
    text: 'Hi',
    usage: null,
  });
});

test('gemini: only the first candidate is the reply', () => {
  const other = { index: 1, content: { parts: [{ text: 'No' }] }, finishReason: 'MAX_TOKENS' };

  const { reply } = read({ candidates: [other, { index: 0, content: { parts: [{ text: 'Yes' }] } }] }, end());

  expect(reply).toMatchObject({ text: 'Yes', finishReason: 'stop' });
});
