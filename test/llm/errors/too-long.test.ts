import { expect, test } from 'vitest';
import { onEach, prepareWires, WIRES } from './every-wire.ts';

const wires = prepareWires();

test.each([
  ['Poolside', 'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.'],
  ['DashScope', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]'],
  ['SGLang', "The input (60032 tokens) is longer than the model's context length (32768 tokens)."],
  ['vLLM', 'The decoder prompt (length 40010) is longer than the maximum model length of 32768.'],
  ['an older vLLM', 'max_tokens must be at least 1, got -808.'],
  ['Copilot', 'prompt token count of 135102 exceeds the limit of 128000'],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
  ['LM Studio', 'Trying to keep the first 5453 tokens when context the overflows. However, the model is loaded with …'],
  ['LM Studio', 'Reached context length of 4096 tokens with this model.'],
  ['GitHub Models', 'Request body too large for gpt-4o model. Max size: 8000 tokens.'],
  [
    'TGI',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
  ],
  ['Hugging Face', 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000'],
  ['Cohere', 'too many tokens: size limit exceeded by 5000 tokens.'],
  ['OpenAI', 'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.'],
  ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['OpenAI', "Invalid 'messages': array too long. Expected an array with maximum length 2048."],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['Mistral', 'Prompt contains 66385 tokens, too large for model with 32768 maximum context length'],
  ['Bedrock', 'Input is too long for requested model.'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ['llama.cpp', 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it'],
  ['llama-cpp-python', 'Requested tokens (2105) exceed context window of 2048'],
  ['Ollama', 'prompt too long; exceeded max context length by 100918 tokens'],
  ['TabbyAPI', 'Prompt length 5000 is greater than max_seq_len 4096'],
  ['TensorRT', 'prompt length (5000) exceeds maximum input length (4096).'],
  ['MiniMax', 'invalid params, context window exceeds limit (2013)'],
  ['Kimi', 'Your request exceeded model token limit: 262144 (requested: 300000)'],
  ['Kimi', 'total message size 2200000 exceeds limit 2097152'],
  ['Volcengine', 'Total tokens of image and text exceed max message tokens.'],
  ['Snowflake', 'max tokens of 8192 exceeded'],
  ['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
  [
    'Vertex',
    'Unable to submit request because the input token count is 2000000 but model only supports up to 1048576.',
  ],
  ['Zhipu', 'Prompt 超长'],
  [
    'Cloudflare',
    'The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).',
  ],
  ['Amazon Nova', 'Input Tokens Exceeded: Number of input tokens exceeds maximum length.'],
  ['watsonx', 'the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model'],
  ['SiliconFlow', 'length of prompt_tokens (57535) must be less than max_seq_len (32768).'],
  ['SiliconFlow', 'max_total_tokens (57535) must be less than or equal to max_seq_len (32768).'],
  ['vLLM', 'The prompt (total length 35000) is too long to fit into the model (context length 32768).'],
  ['Friendli', 'The total number of input tokens and max output tokens exceeds the max length 8192'],
  ['no server', 'The context is full'],
  ['no server', 'Requested 9000 tokens but the model only supports 8192'],
  ['no server', 'prompt_tokens 9000 > max_model_len 8192'],
  ['no server', 'The conversation history is too long for this model'],
])('the words of %s mean that a history is too long: "%s"', async (_, message) => {
  expect(await wires.codesOf(400, { error: { message } })).toEqual(onEach(WIRES, 'context_length_exceeded'));
});

test.each([
  [413, { code: 'tokens_limit_reached', message: 'Too large.' }],
  [400, { code: 'model_max_prompt_tokens_exceeded' }],
  [400, { type: 'exceed_context_size_error', message: 'No.' }],
  [400, { code: '1261', message: 'No.' }],
  [400, { code: 'tokens_too_long' }],
  [500, 'Requested tokens (2105) exceed context window of 2048'],
])('a %i with %j means that a history is too long', async (status, error) => {
  expect(await wires.codesOf(status, { error })).toEqual(onEach(WIRES, 'context_length_exceeded'));
});

const vllm = (reply: number, input: number) =>
  `'max_tokens' or 'max_completion_tokens' is too large: ${reply}. This model's maximum context length is 8192 tokens and your request has ${input} input tokens (${reply} > 8192 - ${input}).`;
const passed = (input: number, reply: number) =>
  `You passed ${input} input tokens and requested ${reply} output tokens. However, the model's context length is only 8192 tokens.`;
const openai = (input: number, reply: number) =>
  `This model's maximum context length is 8192 tokens. However, you requested ${input + reply} tokens (${input} in the messages, ${reply} in the completion).`;
const atLeast = (input: number, reply: number) =>
  `This model's maximum context length is 8192 tokens. However, you requested ${reply} output tokens and your prompt contains at least ${input} input tokens, for a total of at least 8193 tokens.`;

test.each([
  [vllm(500, 8000), vllm(8000, 1000)],
  [openai(8000, 500), openai(1000, 8000)],
  [atLeast(7693, 500), atLeast(193, 8000)],
  [passed(10_000, 500), passed(193, 8000)],
  [
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000',
    'input length and `max_tokens` exceed context limit: 1000 + 199900 > 200000',
  ],
  [
    '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 512 `max_new_tokens`',
    '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 100 `inputs` tokens and 8192 `max_new_tokens`',
  ],
])('the numbers of a refusal decide between history and limit: "%s"', async (history, limit) => {
  expect(await wires.codesOf(400, { error: { message: history } })).toEqual(onEach(WIRES, 'context_length_exceeded'));
  expect(await wires.codesOf(400, { error: { message: limit } })).toEqual(onEach(WIRES, 'provider_invalid_request'));
});

test.each([
  'max_tokens is too large: 100000. This model supports at most 4096 completion tokens, whereas you provided 100000.',
  'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet',
  'Range of max_tokens should be [1, 8192]',
  'max_tokens (57535) must be less than max_seq_len (32768).',
  'max_new_tokens (57535) must be less than or equal to max_seq_len (32768).',
  'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
  'The maximum tokens you requested exceeds the model limit of 4096.',
  'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1.',
  '`max_tokens` must be less than or equal to `8192`, the maximum value is less than the `context_window`',
  '`max_tokens` must be greater than `thinking.budget_tokens`. See #max-tokens-and-context-window-size',
  "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760.",
  "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024.",
  "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
  "Invalid 'tools': array too long. Expected an array with maximum length 128.",
  'tools.0.name: String should have at most 64 characters',
  'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
  'At least one of the image dimensions exceed max allowed size: 8000 pixels',
  'Thinking budget (32000 tokens) exceeds the maximum of 24576 tokens',
  "The requested number of output tokens exceeds the model's limit",
  'The response_format schema exceeds the size limit',
  'prompt_cache_key too long: max 64',
  'The audio input is too long. Maximum is 1500 seconds',
  'A maximum of 100 PDF pages may be provided.',
  'Request payload size exceeds the limit: 20971520 bytes.',
  'The long context beta is not yet available for this subscription.',
])('a refused field or reply limit is not a history that is too long: "%s"', async (message) => {
  expect(await wires.codesOf(400, { error: { message } })).toEqual(onEach(WIRES, 'provider_invalid_request'));
});

test('a request is too long if it alone exceeds the tokens per minute', async () => {
  const words = (used: string) => `on tokens per min (TPM): Limit 30,000, ${used}. The tokens must be reduced.`;
  const error = { code: 'rate_limit_exceeded', type: 'tokens' };

  const never = await wires.codesOf(429, { error: { ...error, message: words('Requested 40000') } });
  const groq = await wires.codesOf(413, { error: { ...error, message: words('Requested 40000') } });
  const later = await wires.codesOf(429, { error: { ...error, message: words('Used 29000, Requested 2000') } });

  expect(never).toEqual(onEach(WIRES, 'context_length_exceeded'));
  expect(groq).toEqual(onEach(WIRES, 'context_length_exceeded'));
  expect(later).toEqual(onEach(WIRES, 'provider_rate_limited'));
});
