import { expect, test } from 'vitest';
import type { HostedCall } from '#core/turn/hosted/hosted.ts';
import { contentsOf, round } from '#test/llm/gemini/history.ts';
import { end, parts, read } from '#test/llm/gemini/reading.ts';
import { user } from '#test/llm/history.ts';

const code = (text: string, more: object = {}) => ({ executableCode: { language: 'PYTHON', code: text, ...more } });
const result = (output: string, outcome = 'OUTCOME_OK', more: object = {}) => ({
  codeExecutionResult: { outcome, output, ...more },
});
const asked = (toolType: string, id?: string, args: object = {}) => ({
  toolCall: { toolType, ...(id && { id }), args },
});
const answered = (toolType: string, id?: string, response: object = {}) => ({
  toolResponse: { toolType, ...(id && { id }), response },
});
const callsOf = ({ reply }: ReturnType<typeof read>) => reply.hosted?.calls ?? [];
const statesOf = ({ deltas }: ReturnType<typeof read>) =>
  deltas.flatMap((delta) => (delta.kind === 'hosted-call' ? [`${delta.call.id} ${delta.call.status}`] : []));

test('gemini: code and its result are one call, which starts and ends in the stream', () => {
  const reading = read(
    parts({ text: 'Let me see. ' }),
    parts(code('print(2)')),
    parts(result('2\n')),
    parts(code('print(3)'), result('3\n'), { text: 'Two and three.' }),
    end(),
  );

  const call = { type: 'code_execution', status: 'completed', error: null, offset: 12 };
  expect(callsOf(reading)).toEqual([
    { ...call, id: 'code_1', input: { language: 'PYTHON', code: 'print(2)' }, output: '2\n' },
    { ...call, id: 'code_2', input: { language: 'PYTHON', code: 'print(3)' }, output: '3\n' },
  ]);
  expect(statesOf(reading)).toEqual([
    'code_1 in_progress',
    'code_1 completed',
    'code_2 in_progress',
    'code_2 completed',
  ]);
  expect(reading.deltas[1]).toEqual({
    kind: 'hosted-call',
    text: '',
    call: {
      id: 'code_1',
      type: 'code_execution',
      status: 'in_progress',
      input: { language: 'PYTHON', code: 'print(2)' },
      output: null,
      error: null,
    },
  });
});

test.each([
  [
    'OUTCOME_FAILED',
    'Traceback:\n  line 1\nZeroDivisionError: division by zero\n',
    'ZeroDivisionError: division by zero',
  ],
  ['OUTCOME_DEADLINE_EXCEEDED', 'half', 'The code ran for too long.'],
  ['OUTCOME_FAILED', '', 'OUTCOME_FAILED'],
])('gemini: code with the outcome %s and the output %j is a failed call', (outcome, output, error) => {
  const [call] = callsOf(read(parts(code('1/0'), result(output, outcome)), end()));

  expect(call).toMatchObject({ status: 'failed', output, error });
});

test('gemini: results are assigned to their code by id, and a second result is added', () => {
  const reading = read(
    parts(code('a', { id: 'x' }), code('b', { id: 'y' })),
    parts(result('B', 'OUTCOME_OK', { id: 'y' }), result('A', 'OUTCOME_OK', { id: 'x' })),
    parts(result('more', 'OUTCOME_OK', { id: 'x' })),
    end(),
  );

  expect(callsOf(reading).map(({ id, output }) => [id, output])).toEqual([
    ['x', 'A\nmore'],
    ['y', 'B'],
  ]);
});

test('gemini: code without a result before the end of the reply is a failed call', () => {
  const reading = read(parts(code('while True: pass')), end('MAX_TOKENS'));

  expect(callsOf(reading)).toMatchObject([{ id: 'code_1', status: 'failed', output: null, error: expect.any(String) }]);
  expect(read(parts(result('1')), end()).reply.hosted?.calls).toMatchObject([
    { id: 'code_1', input: null, output: '1' },
  ]);
});

test('gemini: calls that Gemini shows beside functions have their types and ids', () => {
  const pages = {
    urls_metadata: [{ retrieved_url: 'https://a.b', url_retrieval_status: 'URL_RETRIEVAL_STATUS_PAYWALL' }],
  };
  const reading = read(
    parts(
      asked('GOOGLE_SEARCH_WEB', 's1', { queries: ['snow'] }),
      answered('GOOGLE_SEARCH_WEB', 's1', { search_suggestions: '<b>' }),
    ),
    parts(asked('URL_CONTEXT', undefined, { urls: ['https://a.b'] }), answered('URL_CONTEXT', undefined, pages)),
    parts(asked('FILE_SEARCH', 'f1'), answered('FILE_SEARCH', 'f1')),
    parts(asked('GOOGLE_MAPS', 'm1'), answered('GOOGLE_MAPS', 'm1'), { text: 'Snow.' }),
    end(),
  );

  expect(callsOf(reading)).toEqual<HostedCall[]>([
    {
      ...{ id: 's1', type: 'web_search', status: 'completed', input: { queries: ['snow'] }, error: null, offset: 0 },
      output: '{"search_suggestions":"<b>"}',
    },
    {
      ...{ id: 'fetch_1', type: 'web_fetch', status: 'failed', input: { urls: ['https://a.b'] }, offset: 0 },
      ...{ output: JSON.stringify(pages), error: 'URL_RETRIEVAL_STATUS_PAYWALL' },
    },
    { id: 'f1', type: 'file_search', status: 'completed', input: {}, output: '{}', error: null, offset: 0 },
  ]);
});

test('gemini: grounding is one search call at the end, with its sources', () => {
  const groundingMetadata = {
    webSearchQueries: ['snow', 'ice'],
    groundingChunks: [{ web: { uri: 'https://a.b', title: 'a.b' } }],
    searchEntryPoint: { renderedContent: '<style>' },
  };

  const reading = read(parts({ text: 'Snow.' }), { candidates: [{ finishReason: 'STOP', groundingMetadata }] });

  const output = { sources: [{ url: 'https://a.b', title: 'a.b' }], search_entry_point: '<style>' };
  const call = {
    id: 'search_1',
    type: 'web_search',
    status: 'completed',
    error: null,
    input: { queries: ['snow', 'ice'] },
  };
  expect(callsOf(reading)).toEqual([{ ...call, output: JSON.stringify(output), offset: 5 }]);
  expect(reading.deltas.at(-1)).toEqual({
    kind: 'hosted-call',
    text: '',
    call: { ...call, output: JSON.stringify(output) },
  });
  expect(statesOf(reading)).toEqual(['search_1 completed']);
});

test('gemini: grounding adds its sources to a search that Gemini shows', () => {
  const groundingMetadata = {
    webSearchQueries: ['snow'],
    groundingChunks: [{ web: { uri: 'https://a.b' } }],
    searchEntryPoint: { renderedContent: '<style>' },
  };
  const shown = [asked('GOOGLE_SEARCH_WEB', 's1'), answered('GOOGLE_SEARCH_WEB', 's1', { search_suggestions: '<b>' })];

  const reading = read(parts(...shown, { text: 'Snow.' }), {
    candidates: [{ finishReason: 'STOP', groundingMetadata }],
  });

  expect(callsOf(reading)).toHaveLength(1);
  expect(JSON.parse(callsOf(reading)[0]!.output!)).toEqual({
    search_suggestions: '<b>',
    sources: [{ url: 'https://a.b' }],
    search_entry_point: '<style>',
  });
  expect(statesOf(reading)).toEqual(['s1 in_progress', 's1 completed']);
});

test('gemini: each fetched page of the metadata is a call with its status', () => {
  const page = (retrievedUrl: string, status: string) => ({
    retrievedUrl,
    urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${status}`,
  });
  const urlContextMetadata = { urlMetadata: [page('https://a.b', 'SUCCESS'), page('https://c.d', 'UNSAFE')] };

  const reading = read(
    { candidates: [{ content: { parts: [{ text: 'So.' }] }, urlContextMetadata }] },
    { candidates: [{ finishReason: 'STOP', urlContextMetadata }] },
  );

  expect(callsOf(reading)).toMatchObject([
    { id: 'fetch_1', type: 'web_fetch', status: 'completed', input: { url: 'https://a.b' }, error: null },
    {
      id: 'fetch_2',
      status: 'failed',
      input: { url: 'https://c.d' },
      output: null,
      error: 'URL_RETRIEVAL_STATUS_UNSAFE',
    },
  ]);
  expect(statesOf(reading)).toEqual(['fetch_1 completed', 'fetch_2 failed']);
});

test('gemini: hosted calls are read from metadata in snake case', () => {
  const grounding_metadata = { web_search_queries: ['snow'], grounding_chunks: [{ web: { uri: 'https://a.b' } }] };
  const executable_code = { language: 'PYTHON', code: '1' };

  const reading = read(parts({ executable_code }, { code_execution_result: { outcome: 'OUTCOME_OK', output: '1' } }), {
    candidates: [{ finish_reason: 'STOP', grounding_metadata }],
  });

  expect(callsOf(reading).map(({ id, status }) => [id, status])).toEqual([
    ['code_1', 'completed'],
    ['search_1', 'completed'],
  ]);
});

test('gemini: unreadable hosted parts and metadata do not fail a reply', () => {
  const reading = read(
    parts({ executableCode: 7 }, { toolCall: 'x' }, { toolResponse: { toolType: 5 } }, { text: 'Hi' }),
    {
      candidates: [
        {
          finishReason: 'STOP',
          groundingMetadata: { groundingChunks: 'x', groundingSupports: [null, { segment: 4 }], webSearchQueries: [1] },
          urlContextMetadata: { urlMetadata: [null, 5] },
        },
      ],
    },
  );

  expect(reading.reply).toMatchObject({ text: 'Hi', finishReason: 'stop' });
  expect(reading.reply).not.toHaveProperty('hosted');
});

test('gemini: calls of the metadata alone are no notes for gemini itself', () => {
  const groundingMetadata = { webSearchQueries: ['snow'], groundingChunks: [{ web: { uri: 'https://a.b' } }] };
  const { reply } = read(parts({ text: 'Snow.' }), { candidates: [{ finishReason: 'STOP', groundingMetadata }] });
  const message = { ...round(reply.text, [], reply.opaque), hosted: reply.hosted!.calls };

  expect(message.hosted).toHaveLength(1);
  expect(contentsOf([user('Hi'), message, user('And?')])[1]).toEqual({ role: 'model', parts: [{ text: 'Snow.' }] });
});
