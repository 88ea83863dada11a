import { expect, test } from 'vitest';
import { learnQuirk } from '#core/llm/openai/learn-quirk.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const state = { refusedState: [], filledState: [], isKept: true } as const;
const configured = {
  maxTokensField: 'max_tokens',
  streamOptions: true,
  cacheKey: true,
  choiceNone: true,
  ...state,
  roles: 'any',
} as const;
const newer = { ...configured, maxTokensField: 'max_completion_tokens' } as const;

function learn(text: string, { quirks = configured, status = 400, ...change }: Change = {}) {
  const request = { ...someRequest, maxOutputTokens: 64, ...change };
  return learnQuirk({ status, text }, { request, quirks, first: quirks });
}

type Quirks = NonNullable<ReturnType<typeof learnQuirk>>;
type Change = Partial<RoundRequest> & { quirks?: Quirks; status?: number | null };

test.each([
  `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter"}}`,
  '{"error":{"message":null,"param":"max_tokens","code":"unsupported_parameter"}}',
  'Please use max_completion_tokens for this deployment.',
  'Unrecognized request argument supplied: max_tokens',
])('the token limit is sent under the other name if the server says %j', (text) => {
  expect(learn(text)).toEqual(newer);
});

test.each([
  `[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 8192}]`,
  '{"error":{"message":"json: unknown field \\"max_completion_tokens\\""}}',
  "property 'max_completion_tokens' is unsupported",
  'Invalid JSON payload received. Unknown name "max_completion_tokens": Cannot find field.',
  'Additional properties are not allowed (max_completion_tokens was unexpected)',
])('the token limit gets its older name if the server says %j', (text) => {
  expect(learn(text, { quirks: newer })).toEqual(configured);
});

test.each([
  'max_tokens is too large: 500000. This model supports at most 4096 completion tokens.',
  'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
  "This model's maximum context length is 8192 tokens, however you requested max_tokens 9000.",
])('the token limit keeps its name if the server refuses its value: %j', (text) => {
  expect(learn(text)).toBeNull();
});

test.each([
  [{ maxOutputTokens: null }, "Unsupported parameter: 'max_tokens'"],
  [{ providerOptions: { max_tokens: 9 } }, "Unsupported parameter: 'max_tokens'"],
  [{ providerOptions: { stream_options: { include_usage: true } } }, "Unknown parameter: 'stream_options'"],
  [{ temperature: 0 }, "Unsupported parameter: 'temperature' is not supported with this model."],
  [{}, 'The model does not exist'],
])('a refusal of a field that the caller chose changes no quirk: %j', (change, text) => {
  expect(learn(text, change)).toBeNull();
});

test.each([
  '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
  "Unknown parameter: 'stream_options'.",
  '{"message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"]}]}}',
  'stream_options must be null',
])('stream_options is omitted if the server says %j', (text) => {
  expect(learn(text, { status: 422 })).toEqual({ ...configured, streamOptions: false });
});

test.each([
  ['System message must be at the beginning.', 'system-first'],
  ['Only one system message is allowed', 'system-first'],
  ['Only user, assistant and tool roles are supported, got system.', 'system-first'],
  ['Conversation roles must alternate user/assistant/user/assistant/...', 'alternate'],
  ['After the (optional) system message(s), user and assistant roles should be alternating.', 'alternate'],
  ['user or tool message(s) should alternate with assistant message(s)', 'alternate'],
  ['Last message must have role `user`.', 'alternate'],
  ["Unexpected role 'user' after role 'tool'", 'alternate'],
  ['Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant', 'alternate'],
  ['deepseek-reasoner does not support successive user or assistant messages', 'alternate'],
  ['A conversation must start with a user message.', 'alternate'],
  ['The conversation must end with a user message', 'alternate'],
  ['No user query found in messages.', 'alternate'],
  ['Cannot have 2 or more assistant messages at the end of the list.', 'alternate'],
  ['System role not supported', 'user-only'],
  ['Error rendering prompt with jinja template: "Only user and assistant roles are supported!".', 'user-only'],
  ["Unsupported value: 'messages[0].role' does not support 'system' with this model.", 'user-only'],
  ['Developer instruction is not enabled for models/gemma-3-27b-it', 'user-only'],
  ['This model does not support system messages', 'user-only'],
])('the refusal %j leads to the role order %s', (text, roles) => {
  for (const status of [400, 404, 422, 500, null]) expect(learn(text, { status })).toEqual({ ...configured, roles });
});

test.each([
  ['Unrecognized request argument supplied: prompt_cache_key', 'cacheKey'],
  ["Unsupported parameter: 'stream_options'", 'streamOptions'],
] as const)('the refusal %j omits a field that Pawl added', (text, quirk) => {
  expect(learn(text)).toEqual({ ...configured, [quirk]: false });
  expect(learn(text, { quirks: { ...configured, [quirk]: false } })).toBeNull();
});

test('a role order that was already used leads to the next stricter order', () => {
  const quirks = { ...configured, roles: 'alternate' } as const;

  expect(learn('Conversation roles must alternate', { quirks })).toEqual({ ...configured, roles: 'user-only' });
  expect(learn('Conversation roles must alternate', { quirks: { ...quirks, roles: 'user-only' } })).toBeNull();
});

test.each([401, 402, 403, 429])('a refusal with status %d changes no quirk', (status) => {
  expect(learn('System role not supported', { status })).toBeNull();
});
