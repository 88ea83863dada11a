import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, onEach, openWires, refused, WIRES } from './every-wire.ts';

let wires: Awaited<ReturnType<typeof openWires>>;
beforeAll(async () => {
  wires = await openWires();
});
afterAll(() => wires[Symbol.asyncDispose]());

/** What each wire makes of one refusal: the code, and what its sentence says of the model. */
async function readOnEach(status: number, error: object) {
  const read: [string, string][] = [];
  for (const wire of WIRES) {
    const { code, message = '' } = await wires.ask(wire, refused(status, { error }));
    const [, lacks = ''] = /^The model "[^"]+" (.*?) \(\d+\)/.exec(message) ?? [];
    read.push([wire, `${code}: ${lacks}`]);
  }
  return Object.fromEntries(read);
}

const TOOLS = 'calls no tools';
const EFFORT = 'does not reason as the request asks';
const CHOICE = 'does not follow this tool_choice';
const FORMAT = 'writes no JSON by this schema or format';
const IMAGES = 'reads no images';
const WIRE = 'cannot be asked over this API';
const WHILE_REASONING = 'calls no tools over Chat Completions while it reasons';

const type = 'invalid_request_error';
const param = (name: string, message: string, code: string | null = null) => ({ message, type, param: name, code });

test.each([
  [
    'GPT-5.6',
    WHILE_REASONING,
    400,
    param(
      'reasoning_effort',
      "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    ),
  ],
  ['GPT-6', WIRE, 400, param('model', 'The model cannot be used here.', 'unsupported_model')],
  ['OpenAI', WIRE, 404, param('model', 'This model is only supported in v1/responses and not in v1/chat/completions.')],
  [
    'OpenAI',
    WIRE,
    404,
    param(
      'model',
      'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?',
    ),
  ],
  [
    'Copilot',
    WIRE,
    400,
    {
      message: 'model "gpt-5.3-codex" is not accessible via the /chat/completions endpoint',
      code: 'unsupported_api_for_model',
    },
  ],
  [
    'Azure',
    WIRE,
    400,
    { message: 'The chatCompletion operation does not work with the specified model, gpt-5-codex.' },
  ],
  ['vLLM', WIRE, 400, { message: 'The model does not support Chat Completions API', type: 'BadRequestError' }],
  [
    'OpenAI',
    'does not take this temperature',
    400,
    param(
      'temperature',
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      'unsupported_value',
    ),
  ],
  [
    'Responses',
    'does not take this temperature',
    400,
    param('temperature', "Unsupported parameter: 'temperature' is not supported with this model."),
  ],
  [
    'OpenAI',
    'does not take `web_search_options`',
    400,
    param('web_search_options', 'Web search options not supported with this model.', 'unsupported_parameter'),
  ],
  ['OpenAI', IMAGES, 400, { message: 'Invalid content type. image_url is only supported by certain models.', type }],
  [
    'OpenAI',
    EFFORT,
    400,
    param(
      'reasoning_effort',
      "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'none' and 'low'.",
      'unsupported_value',
    ),
  ],
  ['xAI', EFFORT, 400, { message: 'Model grok-4-latest does not support parameter reasoningEffort.' }],
  ['xAI', 'does not take stop', 400, { message: 'Argument not supported on this model: stop' }],
  ['Groq', EFFORT, 400, { message: '`reasoning_effort` is not supported with this model', type }],
  ['Groq', TOOLS, 400, { message: '`tool calling` is not supported with this model', type }],
  ['Groq', FORMAT, 400, { message: 'This model does not support response format `json_schema`.', type }],
  ['Mistral', TOOLS, 400, { message: 'Function calling is not enabled for this model', type: 'invalid_request' }],
  ['Ollama', TOOLS, 400, { message: 'registry.ollama.ai/library/gemma3:4b does not support tools', type: 'api_error' }],
  ['Ollama', EFFORT, 400, { message: '"gemma3:4b" does not support thinking', type: 'api_error' }],
  ['Ollama', IMAGES, 400, { message: 'this model does not support image input (ref: b8bd630e)' }],
  ['LM Studio', IMAGES, 400, { message: 'Model does not support images. Please use a model that does.' }],
  ['DeepSeek', TOOLS, 400, { message: 'deepseek-reasoner does not support Function Calling', type }],
  ['DeepSeek', CHOICE, 400, { message: 'Thinking mode does not support this tool_choice', type }],
  [
    'DashScope',
    CHOICE,
    400,
    {
      message:
        '<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode',
      type,
    },
  ],
  [
    'DashScope',
    FORMAT,
    400,
    { message: 'Json mode response is not supported when enable_thinking is true', code: 'invalid_parameter_error' },
  ],
  [
    'OpenRouter',
    TOOLS,
    404,
    { message: 'No endpoints found that support tool use. To learn more about routing, visit: https://x.y', code: 404 },
  ],
  [
    'OpenRouter',
    CHOICE,
    404,
    { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 },
  ],
  ['OpenRouter', IMAGES, 404, { message: 'No endpoints found that support image input', code: 404 }],
  ['vLLM', TOOLS, 400, { message: '"auto" tool choice requires --enable-auto-tool-choice to be set' }],
  ['llama.cpp', TOOLS, 500, { message: 'tools param requires --jinja flag', type: 'server_error' }],
  ['llama.cpp', IMAGES, 500, { message: 'image input is not supported - hint: you may need to provide the mmproj' }],
  ['Copilot', IMAGES, 400, { message: 'model "claude-sonnet-4.6" not supported for vision' }],
  ['Gemini', TOOLS, 400, { message: 'Function calling is not enabled for models/gemma-3-12b-it' }],
  ['Gemini', EFFORT, 400, { message: 'Thinking level is not supported for this model.' }],
  ['Gemini', IMAGES, 400, { message: 'Image input modality is not enabled for models/gemini-x' }],
  [
    'Gemini',
    'takes no instructions',
    400,
    { message: 'Developer instruction is not enabled for models/gemma-3-27b-it' },
  ],
  ['Gemini', FORMAT, 400, { message: "Function calling with a response mime type: 'application/json' is unsupported" }],
  [
    'Vertex',
    EFFORT,
    400,
    { message: 'Unable to submit request because thinking_level MEDIUM is not supported by this model. Learn more: x' },
  ],
  ['Anthropic', EFFORT, 400, { message: 'This model does not support the effort parameter.', type }],
  [
    'Anthropic',
    EFFORT,
    400,
    { message: "This model does not support effort level 'xhigh'. Supported levels: high", type },
  ],
  ['Anthropic', EFFORT, 400, { message: 'adaptive thinking is not supported on this model', type }],
  [
    'Anthropic',
    'does not take this temperature',
    400,
    { message: '`temperature` is deprecated for this model.', type },
  ],
  [
    'Anthropic',
    'does not take both temperature and top_p',
    400,
    { message: '`temperature` and `top_p` cannot both be specified for this model. Please use only one.', type },
  ],
  [
    'Anthropic',
    'does not go on with a message of its own',
    400,
    {
      message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    },
  ],
  ['Bedrock', TOOLS, 400, { message: "This model doesn't support tool use in streaming mode." }],
  [
    'Bedrock',
    CHOICE,
    400,
    {
      message:
        "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
    },
  ],
  ['a gateway', 'does not take this temperature', 400, { message: 'For this model temperature not supported' }],
  ['a gateway', 'does not take `top_k`', 400, param('top_k', 'Not for you.', 'unsupported_parameter')],
  ['a gateway', 'does not take a part of the request', 400, { message: 'No.', code: 'unsupported_value' }],
])('%s: the model %s', async (_, lacks, status, error) => {
  expect(await readOnEach(status, error)).toEqual(onEach(WIRES, `model_unsupported_feature: ${lacks}`));
});

test.each([
  ['provider_invalid_request', { message: "Invalid schema for function 'look': 'oneOf' is not permitted." }],
  ['provider_invalid_request', { message: 'Extra inputs are not permitted', param: 'top_k' }],
  ['provider_invalid_request', { message: "tools.0.input_schema: 'x' is not supported", type }],
  ['provider_invalid_request', { message: 'max_tokens: 9000 > 8192, which is the maximum allowed for this model' }],
  ['provider_model_not_found', { message: 'Model x is not supported' }],
  ['provider_permission_denied', { message: 'your current token plan not support model, MiniMax-M3 (2061)' }],
  ['context_length_exceeded', { message: 'This model only supports 8192 tokens: your prompt is too long.' }],
])('%s stays with %j', async (code, error) => {
  expect(await readOnEach(400, error)).toEqual(onEach(WIRES, expect.stringMatching(`^${code}:`) as unknown as string));
});

test('the sentence says what to change, quotes the provider, and hides the key', async () => {
  const message = `Function tools with reasoning_effort are not supported for ${KEY} in /v1/chat/completions.`;

  const failure = await wires.ask('openai', refused(400, { error: param('reasoning_effort', message) }));
  const named = await wires.ask('openai', refused(400, { error: param(`x ${KEY}`, 'No.', 'unsupported_parameter') }));

  expect(failure.message).toContain(
    'Set reasoning_effort to "none" or tool_mode to "emulated", or ask it over the Resp',
  );
  expect(failure.message).toContain('openai says: "Function tools with reasoning_effort are not supported');
  expect(named.message).toContain('does not take `x [redacted]` (400). Leave it out, or choose another model.');
  expect(failure.message).not.toContain(KEY);
});
