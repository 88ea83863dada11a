import { expect, test } from 'vitest';
import { finishReply } from '#core/llm/anthropic/finish-reply.ts';
import { startReply, takeEvent } from '#core/llm/anthropic/reply-accumulator.ts';
import type { Delta } from '#core/llm/provider.ts';
import { answer, askHosted, found, serverCall, startHostedServer, words } from './hosted-server.ts';

const url = 'https://example.com/a';
const cites = (cited: object) => ({ type: 'citations_delta', citation: cited });
const webCitation = (at = url) => ({
  ...{ type: 'web_search_result_location', url: at, title: 'A', cited_text: 'x' },
  encrypted_index: 'sealed index',
});
const says = (text: string) => ({ type: 'text_delta', text });

/** Reads a message that is sent whole. */
function parse(content: object[], stop_reason = 'end_turn') {
  const reply = startReply({ provider: 'anthropic' });
  const deltas = takeEvent(reply, { type: 'message', role: 'assistant', content, stop_reason });
  return { reply: finishReply(reply), deltas };
}

const callsOf = (deltas: Delta[]) => deltas.flatMap((delta) => (delta.kind === 'hosted-call' ? [delta.call] : []));
const use = (id: string, name: string, input: object = {}) => ({ type: 'server_tool_use', id, name, input });

test('a streamed search is a hosted call with citations, counted in UTF-16 units', async () => {
  const cited = [{ type: 'text', text: '', citations: [] }, cites(webCitation()), says('It is '), says('so 👩🏽‍🚀.')];
  await using server = await startHostedServer(
    answer([
      words('Let me see 👋.'),
      serverCall('srvtoolu_1', 'web_search', { query: 'x' }),
      found('srvtoolu_1', url, 'https://example.com/b'),
      cited as [object, ...object[]],
      words(' Really.'),
    ]),
  );
  const { ask, deltas } = askHosted(server);

  const { text, hosted } = await ask();

  expect(text).toBe('Let me see 👋.\n\nIt is so 👩🏽‍🚀. Really.');
  const [annotation] = hosted!.annotations;
  expect(text!.slice(annotation!.start_index, annotation!.end_index)).toBe('It is so 👩🏽‍🚀.');
  expect(hosted!.annotations).toEqual([
    { type: 'url_citation', url, title: 'A', start_index: 16, end_index: 16 + 'It is so 👩🏽‍🚀.'.length },
  ]);
  const output = JSON.stringify([url, 'https://example.com/b'].map((each) => ({ url: each, title: `About ${each}` })));
  const ended = {
    id: 'srvtoolu_1',
    type: 'web_search',
    input: { query: 'x' },
    status: 'completed',
    output,
    error: null,
  };
  expect(hosted!.calls).toEqual([{ ...ended, offset: 'Let me see 👋.'.length }]);
  expect(callsOf(deltas)).toEqual([{ ...ended, status: 'in_progress', input: null, output: null }, ended]);
  expect(deltas.map((delta) => delta.text).join('')).toBe(text);
});

test('a hosted call starts in the stream before its result', async () => {
  await using server = await startHostedServer(
    answer([words('A'), serverCall('s', 'web_search', { query: 'x' }), found('s'), words('B')]),
  );
  const { ask, deltas } = askHosted(server);

  await ask();

  expect(deltas.map((delta) => (delta.kind === 'hosted-call' ? delta.call.status : delta.text))).toEqual([
    'A',
    'in_progress',
    'completed',
    '\n\nB',
  ]);
});

const result = (id: string, kind: string, content: object) => ({
  type: `${kind}_tool_result`,
  tool_use_id: id,
  content,
});
const fetched = (source: object) => ({
  ...{ type: 'web_fetch_result', url, retrieved_at: null },
  content: { type: 'document', source, title: null, citations: null },
});
const printed = { stdout: '42\n', stderr: '', return_code: 0, content: [] };
const encrypted = { encrypted_stdout: 'secret', stderr: 'Oh.', return_code: 1, content: [] };
const file = { type: 'bash_code_execution_output', file_id: 'file_1' };

test.for([
  ['web_fetch', 'web_fetch', fetched({ type: 'text', media_type: 'text/plain', data: 'The page.' }), 'The page.'],
  ['web_fetch', 'web_fetch', fetched({ type: 'base64', media_type: 'application/pdf', data: 'AA==' }), url],
  ['code_execution', 'code_execution', { type: 'code_execution_result', ...printed }, '42\n'],
  ['code_execution', 'code_execution', { type: 'encrypted_code_execution_result', ...encrypted }, 'Oh.'],
  ['code_execution', 'bash_code_execution', { type: 'bash_code_execution_result', ...printed, stdout: '' }, null],
  [
    'code_execution',
    'bash_code_execution',
    { type: 'bash_code_execution_result', ...printed, stderr: 'Warning', content: [file] },
    '42\n\nWarning\n[file file_1]',
  ],
  [
    'code_execution',
    'text_editor_code_execution',
    { type: 'text_editor_code_execution_view_result', content: 'a = 1', file_type: 'text' },
    'a = 1',
  ],
  [
    'code_execution',
    'text_editor_code_execution',
    { type: 'text_editor_code_execution_create_result', is_file_update: false },
    'The file was created.',
  ],
  [
    'code_execution',
    'text_editor_code_execution',
    { type: 'text_editor_code_execution_str_replace_result', lines: ['-a', '+b'] },
    '-a\n+b',
  ],
] as const)('a hosted call of %s by %s has the output of %j', ([type, name, content, output]) => {
  const { reply, deltas } = parse([use('s', name, { a: 1 }), result('s', name, content), words('Done.')]);

  const call = { id: 's', type, status: 'completed', input: { a: 1 }, output, error: null };
  expect(reply.hosted).toEqual({ calls: [{ ...call, offset: 0 }], annotations: [], images: [] });
  expect(callsOf(deltas)).toEqual([{ ...call, status: 'in_progress', output: null }, call]);
});

test.for([
  ['web_search', 'max_uses_exceeded', /^The tool was called more often than `max_uses`.*\(max_uses_exceeded\)$/],
  ['web_fetch', 'url_not_accessible', /^The URL could not be fetched\. \(url_not_accessible\)$/],
  ['bash_code_execution', 'a_new_code', /^The tool failed\. \(a_new_code\)$/],
] as const)('a failed hosted call of %s has the error %s', ([name, code, error]) => {
  const content = { type: `${name}_tool_result_error`, error_code: code };
  const { reply, deltas } = parse([use('s', name), result('s', name, content), words('Sorry.')]);

  expect(reply.hosted!.calls).toEqual([expect.objectContaining({ status: 'failed', output: null })]);
  expect(reply.hosted!.calls[0]!.error).toMatch(error);
  expect(callsOf(deltas).at(-1)).toMatchObject({ id: 's', status: 'failed' });
  expect(reply.text).toBe('Sorry.');
});

test('calls of other server tools are state, and no hosted calls', () => {
  const blocks = [
    use('s', 'tool_search_tool_bm25', { query: 'x' }),
    result('s', 'tool_search', { type: 'tool_search_tool_search_result', tool_references: [] }),
    { type: 'mcp_tool_use', id: 'm', name: 'f', server_name: 'x', input: {} },
    { type: 'mcp_tool_result', tool_use_id: 'm', is_error: false, content: [] },
    words('Done.'),
  ];

  const { reply, deltas } = parse(blocks);

  expect(reply).not.toHaveProperty('hosted');
  expect(reply.opaque).toEqual({ blocks });
  expect(callsOf(deltas)).toEqual([]);
});

test('a reply without hosted calls and citations has no hosted field', () => {
  expect(parse([words('Hi.')]).reply).not.toHaveProperty('hosted');
});

test('citations of documents need a file, and repeated sources count once', () => {
  const citations = [
    { type: 'page_location', file_id: 'file_1', document_title: 'Report', start_page_number: 1 },
    { type: 'char_location', file_id: null, document_title: 'Page' },
    { type: 'search_result_location', source: 'https://kb.example.com/1', title: null },
    { ...webCitation(), cited_text: 'one' },
    { ...webCitation(), cited_text: 'two' },
    { type: 'a_new_location' },
  ];

  const { reply } = parse([words('So: '), { ...words('yes.'), citations }]);

  const place = { start_index: 4, end_index: 8 };
  expect(reply.hosted!.annotations).toEqual([
    { type: 'file_citation', file_id: 'file_1', title: 'Report', ...place },
    { type: 'url_citation', url: 'https://kb.example.com/1', ...place },
    { type: 'url_citation', url, title: 'A', ...place },
  ]);
});

test('a hosted call without a result in a truncated reply has failed', async () => {
  await using server = await startHostedServer(
    answer([words('So'), serverCall('s', 'web_search', { query: 'x' })], { stop: 'max_tokens' }),
  );
  const { ask, deltas } = askHosted(server);

  const { hosted, finishReason } = await ask();

  expect(finishReason).toBe('length');
  const lost = { status: 'failed', error: 'The reply ended before the tool had a result.' };
  expect(hosted!.calls).toEqual([expect.objectContaining({ ...lost, input: { query: 'x' }, offset: 2 })]);
  expect(callsOf(deltas)).toEqual([
    expect.objectContaining({ status: 'in_progress' }),
    expect.objectContaining({ id: 's', ...lost }),
  ]);
});
