import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const weather = Tool.parse({ name: 'get_weather', parameters: { type: 'object', properties: {} } });
const everything: HostedTool[] = [
  { type: 'web_search', options: { search_context_size: 'low' } },
  { type: 'code_execution' },
  { type: 'file_search', options: { vector_store_ids: ['vs_1'] } },
  { type: 'image_generation' },
];
const STATE = 'reasoning.encrypted_content';
const SOURCES = 'web_search_call.action.sources';

function render(change: Partial<RoundRequest>): Record<string, unknown> {
  const body = renderRequest({ ...someRequest, ...change }, { provider: 'openai', form: fullForm(false) });
  expect(checkOpenaiResponses(body, { reasons: () => true })).toEqual([]);
  return JSON.parse(JSON.stringify(body));
}

test('hosted tools follow the functions on Responses, with their options', () => {
  const { tools, include } = render({ tools: [weather], hostedTools: everything });

  expect(tools).toMatchObject([
    { type: 'function', name: 'get_weather' },
    { type: 'web_search', search_context_size: 'low' },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'file_search', vector_store_ids: ['vs_1'] },
    { type: 'image_generation' },
  ]);
  expect(include).toEqual([STATE, SOURCES, 'code_interpreter_call.outputs', 'file_search_call.results']);
});

test('options of a hosted tool replace the container and the version of Pawl', () => {
  const options = { container: 'cntr_1', type: 'code_interpreter_2027' };

  const request: RoundRequest = { ...someRequest, hostedTools: [{ type: 'code_execution', options }] };
  expect(renderRequest(request, { provider: 'openai', form: fullForm(false) }).tools).toEqual([options]);
});

test('a request of Responses includes the results of its own hosted tools only', () => {
  expect(render({}).include).toEqual([STATE]);
  expect(render({ hostedTools: [{ type: 'image_generation' }] }).include).toEqual([STATE]);
  expect(render({ hostedTools: [{ type: 'web_search' }] }).include).toEqual([STATE, SOURCES]);
  const include = ['web_search_call.results', SOURCES];
  expect(render({ hostedTools: [{ type: 'web_search' }], providerOptions: { include } }).include).toEqual([
    ...[STATE, SOURCES, 'web_search_call.results'],
  ]);
});

test('the tool choice applies to a request that has hosted tools alone', () => {
  const hostedTools: HostedTool[] = [{ type: 'web_search' }];

  expect(render({ hostedTools, toolChoice: 'required' }).tool_choice).toBe('required');
  expect(render({ hostedTools, mayCall: false, toolChoice: 'none' })).toMatchObject({
    tools: [{ type: 'web_search' }],
    tool_choice: 'none',
  });
});

test('tools in provider_options are added to all other tools', () => {
  const mcp = { type: 'mcp', server_label: 'docs', server_url: 'https://example.com' };
  const providerOptions = { tools: [mcp] };
  const typesIn = (change: Partial<RoundRequest>) =>
    (render({ providerOptions, ...change }).tools as { type: string }[]).map(({ type }) => type);

  expect(typesIn({})).toEqual(['mcp']);
  expect(typesIn({ tools: [weather] })).toEqual(['function', 'mcp']);
  expect(typesIn({ tools: [weather], hostedTools: [{ type: 'web_search' }] })).toEqual([
    ...['function', 'web_search', 'mcp'],
  ]);
  expect(render({ tools: [weather], providerOptions: { tools: null } })).not.toHaveProperty('tools');
});

const hi: Answer = { body: responsesWire.reply({ text: ['Hi.'] }) };
const refusal = (message: string, param: string): Answer => ({
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: [JSON.stringify({ error: { message, type: 'invalid_request_error', param, code: null } })],
});

async function includesAfter(answer: Answer) {
  await using server = await startWireServer(answer, hi);
  const provider = openaiResponsesProvider({ name: 'openai', apiKey: 'k', baseUrl: server.origin, post });
  const request = { ...someRequest, hostedTools: everything.slice(0, 1) };

  for (let round = 1; round <= 2; round += 1)
    await provider.ask(request, new AbortController().signal, () => undefined);
  return server.asked.map(({ body }) => body.include);
}

const VALUES = `Supported values are: '${SOURCES}', '${STATE}' and 'file_search_call.results'.`;

test.each([
  ['of encrypted content', [SOURCES], refusal('Encrypted content is not supported with this model.', 'include')],
  ['of the sources', [STATE], refusal(`Invalid value: '${SOURCES}'. ${VALUES}`, 'include[1]')],
  ['of the field', undefined, refusal("Unknown parameter: 'include'.", 'include')],
])('a refusal %s removes the values that it names from include', async (_, left, answer) => {
  expect(await includesAfter(answer)).toEqual([[STATE, SOURCES], left, left]);
});
