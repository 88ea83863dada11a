import { expect, test } from 'vitest';
import { KEY, onEach, prepareWires, refused, WIRES } from './every-wire.ts';
import { param, refusedFeatures } from './refused-features.ts';

const wires = prepareWires();

/** Returns the code of a refusal on each wire, and the problem in its sentence. */
async function readOnEach(status: number, said: string | object) {
  const error = typeof said === 'string' ? { message: said } : said;
  const read: [string, { code: string | undefined; problem: string }][] = [];
  for (const wire of WIRES) {
    const { code, message = '' } = await wires.ask(wire, refused(status, { error }));
    const [, problem = ''] = /^The model "[^"]+" (.*?) \(\d+\)/.exec(message) ?? [];
    read.push([wire, { code, problem }]);
  }
  return Object.fromEntries(read);
}

test.each(refusedFeatures)('at %s the model %s', async (_, problem, status, error) => {
  expect(await readOnEach(status, error)).toEqual(onEach(WIRES, { code: 'model_unsupported_feature', problem }));
});

test.each([
  ['provider_invalid_request', { message: "Invalid schema for function 'look': 'oneOf' is not permitted." }],
  ['provider_invalid_request', { message: 'Extra inputs are not permitted', param: 'top_k' }],
  ['provider_invalid_request', { message: "tools.0.input_schema: 'x' is not supported" }],
  ['provider_invalid_request', { message: 'max_tokens: 9000 > 8192, which is the maximum allowed for this model' }],
  ['provider_invalid_request', { message: "Anthropic doesn't support tool calling without `tools=` param specified." }],
  [
    'provider_invalid_request',
    { message: "Invalid JSON schema: it does not support 'x' for this model's structured output" },
  ],
  ['provider_invalid_request', { message: 'Only 128 tools are allowed for this model, got 200.' }],
  ['provider_invalid_request', { message: 'Image of 40 MB is not allowed for this model; the limit is 20 MB.' }],
  ['provider_invalid_request', { message: 'Tools are not available for models of your plan.' }],
  ['provider_invalid_request', { type: 'extra_forbidden', message: 'Extra inputs are not permitted' }],
  ['provider_invalid_request', { message: 'This model does not support more than 128 tools.' }],
  ['provider_invalid_request', param('tools[0].function.parameters', "'oneOf' is not supported for this model")],
  ['provider_invalid_request', { message: 'The model does not support max_tokens above 8192' }],
  ['provider_model_not_found', param('model', 'Model is not supported for this request.', 'model_not_supported')],
  ['provider_model_not_found', { message: "The 'gpt-5' model is not supported when using Codex with an account." }],
  ['provider_model_not_found', { message: 'Model x is not supported' }],
  ['provider_permission_denied', { message: 'your current token plan not support model, MiniMax-M3 (2061)' }],
  ['context_length_exceeded', { message: 'This model only supports 8192 tokens: your prompt is too long.' }],
])('the code stays %s with %j', async (code, error) => {
  expect(await readOnEach(400, error)).toEqual(onEach(WIRES, { code, problem: '' }));
});

test('the message gives advice, quotes the provider and hides the key', async () => {
  const message = `Function tools with reasoning_effort are not supported for ${KEY} in /v1/chat/completions.`;

  const failure = await wires.ask('openai', refused(400, { error: param('reasoning_effort', message) }));
  const named = await wires.ask('openai', refused(400, { error: param(`x ${KEY}`, 'No.', 'unsupported_parameter') }));

  expect(failure.message).toContain('Set reasoning_effort to "none", set tool_mode to "emulated", or use');
  expect(failure.message).toContain('OPENAI_WIRE=responses');
  expect(failure.message).toContain('openai says: "Function tools with reasoning_effort are not supported');
  expect(named.message).toContain(
    'does not support `x [redacted]` (400). Leave the field out, or choose another model.',
  );
  expect(failure.message).not.toContain(KEY);
});

test.each([
  ['This model is only supported in v1/responses and not in v1/chat/completions.', 'Choose another model, or use'],
  ['model "x" is not accessible via the /chat/completions endpoint', 'Choose another model, or use'],
  ['This model is only supported in v1/chat/completions and not in v1/responses.', 'Choose another model.'],
  ['This is not a chat model and thus not supported in the v1/chat/completions endpoint.', 'Choose another model.'],
])('the advice for "%s" is: %s', async (message, advice) => {
  const failure = await wires.ask('openai', refused(404, { error: { message } }));

  expect(failure.message).toContain(`is not offered by this API (404). ${advice}`);
});

test.each([
  [400, "The requested model 'gpt-x' cannot be used with the Responses API."],
  [400, 'The responses operation does not work with the specified model, gpt-x. Please choose different model.'],
  [400, 'Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later'],
  [404, 'This model is not supported in the v1/responses endpoint. Did you mean to use v1/completions?'],
  [405, 'The requested model gpt-x is not supported in the v1/responses endpoint.'],
])('a failure without Responses advises Chat Completions: a %i with %s', async (status, message) => {
  for (const wire of WIRES) {
    const failure = await wires.ask(wire, refused(status, { error: { message } }));

    expect(failure.code, wire).toBe('model_unsupported_feature');
    expect(failure.message, wire).toContain('OPENAI_WIRE=chat');
    expect(failure.message, wire).not.toContain('OPENAI_WIRE=responses');
  }
});
