import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

// A refused request leaves no rows, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

async function refusalOf(path: string, body: unknown): Promise<[string, string]> {
  const { body: refused } = await harness.call<{ error: { code: string; message: string } }>('POST', path, { body });
  return [refused.error.code, refused.error.message];
}

const tool = { type: 'function', function: { name: 'get_weather', description: 'Looks up the weather' } };

test.each([
  ['messages', { messages: [{ role: 'user', content: 'Hi' }] }, 'Use `input`.'],
  ['system', { system: 'Be brief.' }, 'Use `instructions`.'],
  ['max_tokens', { max_tokens: 9 }, 'Use `max_output_tokens`.'],
  ['max_completion_tokens', { max_completion_tokens: 9 }, 'Use `max_output_tokens`.'],
  ['functions', { functions: [] }, 'Use `tools`.'],
  ['function_call', { function_call: 'auto' }, 'Use `tool_choice`.'],
  ['n', { n: 2 }, 'Send a request for each answer.'],
  [
    'tools[0].function',
    { input: 'Hi', tools: [tool] },
    'Put `name`, `description` and `parameters` into the tool itself.',
  ],
])('%s is refused with the name of the field to use, in turns and responses', async (field, body, advice) => {
  const [turn, response] = await Promise.all(
    ['/v1/turns', '/v1/responses'].map((path) => refusalOf(path, { model: 'openai/test', ...body })),
  );

  expect(turn).toEqual(['unknown_field', `\`${field}\` is not a field of a turn. ${advice}`]);
  expect(response).toEqual(['unknown_parameter', `\`${field}\` is not a field of a response. ${advice}`]);
});

test.each([
  ['/v1/turns', { stream: true }, '`stream` is not a field of a turn. Read the text while it is written at'],
  ['/v1/turns', { response_format: {} }, '`response_format` is not a field of a turn. Use `output_schema`.'],
  ['/v1/turns', { user: 'ada' }, '`user` is not a field of a turn. Use `metadata`.'],
  ['/v1/responses', { response_format: {} }, '`response_format` is not a field of a response. Use `text.format`.'],
  [
    '/v1/responses',
    { reasoning_effort: 'low' },
    '`reasoning_effort` is not a field of a response. Use `reasoning.effort`.',
  ],
  ['/v1/conversations', { messages: [] }, '`messages` is not a field of a turn. Use `input`.'],
  ['/v1/schedules', { turn: { messages: [] } }, '`turn.messages` is not a field of a turn. Use `input`.'],
  ['/v1/webhook_endpoints', { messages: [] }, 'Unknown field `messages`. Remove it, or check its spelling.'],
])('a POST to %s with %j gets advice on the field', async (path, body, sentence) => {
  const [, message] = await refusalOf(path, body);

  expect(message).toContain(sentence);
});
