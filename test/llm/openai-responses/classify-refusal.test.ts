import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { responsesEvent } from '#test/llm/responses-events.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const json = { 'content-type': 'application/json' };

async function failureOf(answer: Answer, more: object = {}) {
  await using server = await startWireServer(answer);
  const provider = openaiResponsesProvider({ name: 'openai', apiKey: 'key', baseUrl: server.origin, post, ...more });
  return await provider
    .ask(someRequest, new AbortController().signal, () => undefined)
    .catch((error: unknown) => error);
}

/** Returns an error in the form of the Responses API, often without a code. */
const error = (param: string | null, message: string, code: string | null = null) => ({
  ...{ message, type: 'invalid_request_error', param, code },
});
const unsupported = (field: string) => `Unsupported parameter: '${field}' is not supported with this model.`;

test.each([
  ['does not support this temperature', error('temperature', unsupported('temperature'))],
  ['does not support top_p', error('top_p', unsupported('top_p'))],
  ['does not support this reasoning setting', error('reasoning.effort', unsupported('reasoning.effort'))],
  [
    'does not support this reasoning setting',
    error('reasoning.effort', "Unsupported value: 'minimal' is not supported with the 'x' model.", 'unsupported_value'),
  ],
  [
    'does not support this verbosity',
    error('text.verbosity', "Unsupported value: 'low' is not supported with the 'x' model.", 'unsupported_value'),
  ],
  [
    'does not support this schema or format',
    error('text.format', "Invalid parameter: 'text.format' of type 'json_schema' is not supported with model `x`."),
  ],
  ['does not answer in the background', error('background', unsupported('background'))],
  ['does not answer in the background', error(null, 'Background mode is not supported with this model.')],
  ['does not support parallel_tool_calls', error('parallel_tool_calls', unsupported('parallel_tool_calls'))],
  [
    'does not support this tool_choice',
    error('tool_choice', "Tool choice 'required' is not supported with this model."),
  ],
  ['does not read images', error('input', 'Invalid input image. The model does not support image inputs.')],
  [
    'does not support this hosted tool',
    error('tools', "Hosted tool 'web_search_preview' is not supported with gpt-4.1-nano."),
  ],
  ['does not support this hosted tool', error('tools', "Tool 'image_generation' is not supported with this model.")],
  [
    'does not support this hosted tool',
    error('tools', "The following tools cannot be used with reasoning.effort 'minimal': web_search, image_gen."),
  ],
  [
    'does not support this hosted tool',
    error('tools[0].type', "Invalid value: 'code_interpreter'. Supported values are: 'function'.", 'invalid_value'),
  ],
  ['does not support this hosted tool', error(null, 'unknown variant `file_search`, expected `function`')],
  ['does not support this hosted tool', error(null, 'Unsupported tool type: web_search')],
  ['does not support this hosted tool', error(null, 'This model does not support web_search.')],
  [
    'is not offered by this API',
    error('model', "The requested model 'x' is not supported with the Responses API.", 'unsupported_model'),
  ],
])('a Responses model %s if its server says %j, refused or in a stream', async (problem, refusal) => {
  const answers: Answer[] = [
    { status: 400, headers: json, body: [JSON.stringify({ error: refusal })] },
    { body: [responsesEvent('error', { error: refusal })] },
  ];

  for (const answer of answers) {
    expect(await failureOf(answer)).toMatchObject({
      code: 'model_unsupported_feature',
      message: expect.stringContaining(`The model "some-model" ${problem}`),
      retry: { kind: 'never' },
    });
  }
});

test('the advice for a refused background names the settings', async () => {
  const body = [JSON.stringify({ error: error('background', unsupported('background')) })];

  const failure = await failureOf({ status: 400, headers: json, body });

  const settings = expect.stringMatching(/`background` of the provider in PAWL_PROVIDERS, or set OPENAI_BACKGROUND=0/);
  expect(failure).toMatchObject({ message: settings });
});

test('the advice for a refused hosted tool is to leave it out', async () => {
  const body = [JSON.stringify({ error: error('tools', "Hosted tool 'web_search' is not supported with gpt-9.") })];

  const failure = await failureOf({ status: 400, headers: json, body });

  expect(failure).toMatchObject({ message: expect.stringContaining('Leave the hosted tool out of `tools`') });
});

test.each([
  [
    'provider_invalid_request',
    400,
    error('tools[0].search_context_size', "Invalid value: 'huge'. Supported values are: 'low'.", 'invalid_value'),
  ],
  ['provider_invalid_request', 400, error('tools[0].type', "Invalid value: 'x'. Supported values are: 'web_search'.")],
  ['provider_invalid_request', 400, error('tools[0]', "Missing required parameter: 'tools[0].vector_store_ids'.")],
  ['provider_invalid_request', 400, error('include', "Invalid value: 'web_search_call.x'. Choose another value.")],
  ['provider_invalid_request', 400, error('input', 'No tool output found for function call call_x.')],
  ['provider_invalid_request', 400, error('input', 'Not a file.', 'unsupported_file')],
  [
    'provider_invalid_request',
    400,
    error('input[0].id', "Invalid 'input[0].id': 'x'. Expected an ID.", 'invalid_value'),
  ],
  ['context_length_exceeded', 400, error('input', 'Your input is too much.', 'context_length_exceeded')],
  ['provider_model_not_found', 404, error('model', 'The model `x` does not exist.', 'model_not_found')],
  ['provider_authentication_failed', 401, error(null, 'Incorrect API key provided: key.', 'invalid_api_key')],
  ['provider_permission_denied', 403, error(null, 'Your organization must be verified to use the model.')],
  ['quota_exceeded', 429, error(null, 'You exceeded your current quota.', 'insufficient_quota')],
  ['provider_rate_limited', 429, error(null, 'Rate limit reached for x.', 'rate_limit_exceeded')],
  ['provider_overloaded', 503, error(null, 'The server is overloaded.', 'server_is_overloaded')],
  ['provider_unavailable', 500, { message: 'The server had an error.', type: 'server_error', code: 'server_error' }],
])('the code is %s if a Responses server answers %i with %j', async (code, status, refusal) => {
  expect(await failureOf({ status, headers: json, body: [JSON.stringify({ error: refusal })] })).toMatchObject({
    code,
    provider: { status },
  });
});

test.each([
  { status: 404, headers: json, body: ['{"detail":"Not Found"}'] },
  { status: 404, headers: { 'content-type': 'text/plain' }, body: ['404 page not found'] },
  { status: 404, headers: json, body: ['{"error":{"message":"Invalid URL (POST /v1/responses)","code":null}}'] },
  { status: 404, headers: { 'content-type': 'text/html' }, body: ['<html>404</html>'] },
  { status: 404, headers: { 'content-type': 'text/html' }, body: ['<pre>Cannot POST /modelhub/v1/responses</pre>'] },
  { status: 404, headers: json, body: ['{"message":"Cannot POST /modelhub/v1/responses","statusCode":404}'] },
  { status: 404, headers: json, body: ['{"error":{"code":"404","message":"Resource not found"}}'] },
  { status: 404 },
  { status: 405, headers: json, body: ['{"detail":"Method Not Allowed"}'] },
  { status: 405, headers: { 'content-type': 'text/plain' }, body: ['Method Not Allowed'] },
])('the failure of a server without /responses names the setting: %j', async (answer) => {
  expect(await failureOf(answer, { chatSetting: 'OPENAI_WIRE=chat' })).toMatchObject({
    code: 'model_unsupported_feature',
    message: expect.stringContaining('OPENAI_WIRE=chat'),
    retry: { kind: 'never' },
  });
});

test.each([
  ['model_unsupported_feature', 'No endpoints found that support tool use.', 'does not call tools'],
  ['context_length_exceeded', 'Your prompt is too long.', 'exceeds the context of the model'],
  ['provider_model_not_found', 'No endpoints found for openai/gpt-9.', 'Check'],
  ['provider_model_not_found', 'The model `some-model` does not exist.', 'does not know the model'],
  ['provider_model_not_found', "Vector store with id ['vs_1'] not found.", 'Vector store with id'],
  ['provider_model_not_found', "Prompt with id 'pmpt_1' not found.", 'Prompt with id'],
  ['provider_model_not_found', 'No such File object: file-1', 'No such File object'],
])('a 404 of a server with /responses is %s if it says %j', async (code, message, says) => {
  const answer = { status: 404, headers: json, body: [JSON.stringify({ error: { message, code: 404 } })] };

  const failure = await failureOf(answer, { chatSetting: 'OPENAI_WIRE=chat' });

  expect(failure).toMatchObject({ code, message: expect.stringContaining(says) });
  expect(failure).not.toMatchObject({ message: expect.stringContaining('OPENAI_WIRE') });
});
