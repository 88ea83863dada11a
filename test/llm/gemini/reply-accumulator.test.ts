import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import { called, end, parts, type Reading, read } from '#test/llm/gemini/reading.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

/** Returns the contents that are sent back for a reply, after it was stored as JSON. */
function sentBack({ reply: { text, calls, opaque } }: Reading) {
  const stored = JSON.parse(JSON.stringify({ provider: 'gemini', state: opaque }));
  const message = { role: 'assistant', content: text, calls, opaque: stored } as const;
  const { contents } = renderRequest(
    { ...someRequest, messages: [{ role: 'user', content: 'Hi' }, message] },
    'gemini',
  );
  return (contents as { parts: object[] }[])[1]!.parts;
}

test('gemini: thoughts are reasoning, never text, and are not stored', () => {
  const { reply, deltas } = read(parts({ text: 'Let me see.', thought: true }, { text: 'Yes.' }), end());

  expect(reply).toMatchObject({ text: 'Yes.', opaque: null });
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Let me see.' },
    { kind: 'text', text: 'Yes.' },
  ]);
});

test('gemini: signatures are sent back on exactly their parts', () => {
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

test('gemini: signed thoughts and code of Google are sent back, media are not', () => {
  const thought = { text: 'Hm \u0000', thought: true, thoughtSignature: 's1' };
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };
  const reading = read(
    parts(thought, code, { inlineData: { data: 'AA', mimeType: 'image/png' } }, { text: '1' }),
    end(),
  );

  expect(sentBack(reading)).toEqual([{ ...thought, text: 'Hm \uFFFD' }, code, { text: '1' }]);
});

test('gemini: a reply without signatures keeps no state', () => {
  expect(read(parts({ text: 'Hi' }, called('ping')), parts({ text: '' }), end()).reply.opaque).toBeNull();
});

test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL'])(
  'gemini: an empty reply with %s fails the attempt',
  (reason) => {
    expect(() => read(parts({ text: '' }), end(reason))).toThrow(
      expect.objectContaining({ code: 'provider_bad_response', retry: { kind: 'later' } }),
    );
  },
);

test('gemini: a malformed call fails the attempt, even after a text', () => {
  expect(() => read(parts({ text: 'I will call' }), end('MALFORMED_FUNCTION_CALL'))).toThrow('MALFORMED_FUNCTION_CALL');
  expect(() => read(parts({ text: 'I will call' }), end('UNEXPECTED_TOOL_CALL'))).toThrow('UNEXPECTED_TOOL_CALL');
});

test.each(['MAX_TOKENS', 'SAFETY', 'RECITATION', 'MODEL_ARMOR'])(
  'gemini: an empty reply with %s is a reply',
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

test('gemini: ratings of an accepted prompt are not a refusal', () => {
  const { reply } = read({ promptFeedback: { safetyRatings: [] }, ...parts({ text: 'Hi' }) }, end());

  expect(reply.finishReason).toBe('stop');
});

test('gemini: a stream without a finish reason was interrupted', () => {
  expect(() => read(parts({ text: 'Hi' }))).toThrow(
    expect.objectContaining({ code: 'provider_unavailable', retry: { kind: 'later' } }),
  );
});

test('gemini: thought tokens are output, tool tokens input, and the last count wins', () => {
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
    cache_write_tokens: 0,
    reasoning_tokens: 4,
  });
});

test('gemini: an unreadable token count does not fail the reply', () => {
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
