import { block, message } from '#test/llm/anthropic-wire.ts';
import { geminiEvent, partsEvent } from '#test/llm/gemini-wire.ts';
import { callItem, responseStream } from '#test/llm/responses-events.ts';
import type { Answer } from '#test/llm/wire-server.ts';

/** The sentence that each wire cites, with characters of two code units and of several bytes before it. */
export const INTRO = 'Schön 🌤️: ';
export const CITED = 'It is 22 °C in Lisbon.';
export const SOURCE = { url: 'https://weather.example/lisbon', title: 'Lisbon 🌍' };

/**
 * A scripted provider: a first reply with a web search, a cited text and a call of `weather_lookup`, and a second
 * reply with code and an answer.
 */
export type HostedWire = {
  provider: string;
  kind: string;
  replies: Answer[];
  /** The hosted tools of a request, as the wire names them. */
  offered(body: Body): unknown[];
  /** The items of the first reply in the second request, which must be those that the server sent. */
  sentBack(body: Body): unknown[];
  own: object[];
  /** The input of the search as the wire reports it. */
  searched: object;
};
type Body = Record<string, unknown>;

const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };

const searchItem = {
  ...{ id: 'ws_1', type: 'web_search_call', status: 'completed' },
  action: { type: 'search', query: 'weather in Lisbon', sources: [{ type: 'url', url: SOURCE.url }] },
};
const citation = { type: 'url_citation', ...SOURCE, start_index: INTRO.length, end_index: `${INTRO}${CITED}`.length };
const spoken = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: `${INTRO}${CITED}`, annotations: [citation], logprobs: [] }],
};
const codeItem = {
  ...{ id: 'ci_1', type: 'code_interpreter_call', status: 'completed', code: 'print(22*9/5+32)' },
  ...{ container_id: 'cntr_1', outputs: [{ type: 'logs', logs: '71.6' }] },
};
const said = (text: string) => ({
  ...{ id: 'msg_2', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const weatherCall = callItem({ id: 'call_1', name: 'weather_lookup', arguments: ['{"city":"Lisbon"}'] });

const responses: HostedWire = {
  ...{ provider: 'hosted-responses', kind: 'openai-responses' },
  replies: [
    { body: responseStream([{ item: searchItem }, { item: spoken, pieces: [INTRO, CITED] }, weatherCall], { usage }) },
    { body: responseStream([{ item: codeItem }, { item: said('71.6 °F.'), pieces: ['71.6 °F.'] }], { usage }) },
  ],
  offered: ({ tools }) => (tools as { type: string }[]).map(({ type }) => type).filter((type) => type !== 'function'),
  sentBack: ({ input }) => (input as { type?: string }[]).filter(({ type }) => type === 'web_search_call'),
  own: [searchItem],
  searched: { type: 'search', query: 'weather in Lisbon' },
};

const searchUse = { ...{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' } };
const searchInput = { query: 'weather in Lisbon' };
const searchResult = {
  ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', caller: { type: 'direct' } },
  content: [{ type: 'web_search_result', ...SOURCE, encrypted_content: 'enc-1', page_age: null }],
};
const cites = {
  ...{ type: 'web_search_result_location', ...SOURCE, cited_text: '22 °C', encrypted_index: 'idx-1' },
};
const codeUse = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'bash_code_execution' };
const codeResult = {
  ...{ type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_2' },
  content: { type: 'bash_code_execution_result', stdout: '71.6\n', stderr: '', return_code: 0, content: [] },
};
const counted = {
  start: { input_tokens: 100, output_tokens: 1 },
  end: { output_tokens: 20, server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
};
const inputJson = (value: object) => [{ type: 'input_json_delta', partial_json: JSON.stringify(value) }];

const anthropic: HostedWire = {
  ...{ provider: 'hosted-anthropic', kind: 'anthropic' },
  replies: [
    {
      body: message(
        [
          ...block(0, { ...searchUse, input: {} }, inputJson(searchInput)),
          ...block(1, searchResult),
          ...block(2, { type: 'text', text: '' }, [{ type: 'text_delta', text: INTRO }]),
          ...block(3, { type: 'text', text: '', citations: [] }, [
            { type: 'citations_delta', citation: cites },
            { type: 'text_delta', text: CITED },
          ]),
          ...block(
            4,
            { type: 'tool_use', id: 'call_1', name: 'weather_lookup', input: {} },
            inputJson({ city: 'Lisbon' }),
          ),
        ],
        'tool_use',
        counted,
      ),
    },
    {
      body: message(
        [
          ...block(0, { ...codeUse, input: {} }, inputJson({ command: 'python3 -c "print(22*9/5+32)"' })),
          ...block(1, codeResult),
          ...block(2, { type: 'text', text: '' }, [{ type: 'text_delta', text: '71.6 °F.' }]),
        ],
        'end_turn',
        counted,
      ),
    },
  ],
  offered: ({ tools }) =>
    (tools as { name: string; type?: string }[]).filter(({ type }) => type).map(({ name }) => name),
  sentBack: ({ messages }) =>
    (messages as { role: string; content: { type: string }[] }[])
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) => content)
      .filter(({ type }) => type === 'server_tool_use' || type === 'web_search_tool_result'),
  own: [{ ...searchUse, input: searchInput }, searchResult],
  searched: searchInput,
};

const bytesOf = (text: string) => Buffer.byteLength(text);
const grounding = {
  ...{ webSearchQueries: ['weather in Lisbon'], groundingChunks: [{ web: { uri: SOURCE.url, title: SOURCE.title } }] },
  groundingSupports: [
    {
      segment: { startIndex: bytesOf(INTRO), endIndex: bytesOf(`${INTRO}${CITED}`), text: CITED },
      groundingChunkIndices: [0],
    },
  ],
  searchEntryPoint: { renderedContent: '<div>weather</div>' },
};
const code = [
  { executableCode: { language: 'PYTHON', code: 'print(22*9/5+32)' }, thoughtSignature: 'sig-2' },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '71.6\n' } },
];
const geminiCall = {
  functionCall: { id: 'call_1', name: 'weather_lookup', args: { city: 'Lisbon' } },
  thoughtSignature: 'sig-1',
};
const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };

const gemini: HostedWire = {
  ...{ provider: 'hosted-gemini', kind: 'gemini' },
  replies: [
    {
      body: [
        partsEvent([{ text: INTRO }]),
        partsEvent([{ text: CITED }]),
        partsEvent([geminiCall], { finishReason: 'STOP', groundingMetadata: grounding }),
        geminiEvent({ usageMetadata }),
      ],
    },
    {
      body: [
        partsEvent(code),
        partsEvent([{ text: '71.6 °F.' }], { finishReason: 'STOP' }),
        geminiEvent({ usageMetadata }),
      ],
    },
  ],
  offered: ({ tools }) =>
    (tools as object[]).flatMap((tool) => Object.keys(tool)).filter((name) => name !== 'functionDeclarations'),
  sentBack: ({ contents }) =>
    (contents as { role: string; parts: { functionCall?: object }[] }[])
      .filter(({ role }) => role === 'model')
      .flatMap(({ parts }) => parts)
      .filter(({ functionCall }) => functionCall),
  own: [geminiCall],
  searched: { queries: ['weather in Lisbon'] },
};

export const HOSTED_WIRES: HostedWire[] = [responses, anthropic, gemini];
