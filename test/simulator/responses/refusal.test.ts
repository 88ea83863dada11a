import { expect } from 'vitest';
import { afterOneRound, getWeather, test } from './ask-responses.ts';

const user = { role: 'user', content: 'Hi' };
const [, call, output] = afterOneRound({}, 'sunny').input as [object, object, object];
const schema = getWeather.parameters!;
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
const answer = { role: 'assistant', content: 'Yes.' };

type Refused = [string, object, { status?: number; code: string | null; param: string | null; message?: RegExp }];

const refused: Refused[] = [
  ...['stop', 'seed', 'messages', 'response_format', 'max_tokens', 'frequency_penalty'].map(
    (field): Refused => [
      field,
      { [field]: [] },
      { code: 'unknown_parameter', param: field, message: /Unknown parameter/ },
    ],
  ),
  ['messages instead of input', { input: undefined, messages: [] }, { code: 'unknown_parameter', param: 'messages' }],
  ['no model', { model: undefined }, { code: 'missing_required_parameter', param: 'model' }],
  ['a field of an item', { input: [{ ...user, name: 'Ada' }] }, { code: 'unknown_parameter', param: 'input[0].name' }],
  ['an unknown item', { input: [{ type: 'memo' }] }, { code: 'invalid_value', param: 'input[0].type' }],
  [
    'a user part of an assistant message',
    { input: [{ ...answer, content: [{ type: 'input_text', text: 'Yes.' }] }] },
    { code: 'invalid_value', param: 'input[0].content[0].type' },
  ],
  ['a foreign id', { input: [{ ...answer, id: 'item_1' }] }, { code: 'invalid_value', param: 'input[0].id' }],
  ['15 output tokens', { max_output_tokens: 15 }, { code: 'integer_below_min_value', param: 'max_output_tokens' }],
  ['an unknown include', { include: ['reasoning'] }, { code: 'invalid_value', param: 'include[0]' }],
  [
    'a tool in the form of Chat Completions',
    { tools: [{ type: 'function', function: { name: 'get_weather', parameters: schema } }] },
    { code: 'missing_required_parameter', param: 'tools[0].name' },
  ],
  [
    'a tool choice in the form of Chat Completions',
    { tools: [getWeather], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
    { code: 'missing_required_parameter', param: 'tool_choice.name' },
  ],
  ['a choice without tools', { tool_choice: 'required' }, { code: null, param: 'tool_choice' }],
  [
    'a strict tool with an open object',
    { tools: [{ ...getWeather, parameters: { ...schema, additionalProperties: true } }] },
    { code: 'invalid_function_parameters', param: 'tools[0].parameters', message: /additionalProperties/ },
  ],
  [
    'a strict format with an optional property in an array',
    { text: { format: { type: 'json_schema', name: 'x', strict: true, schema: nested({ ...schema, required: [] }) } } },
    {
      code: 'invalid_json_schema',
      param: 'text.format.schema',
      message: /'properties', 'list', 'items'.*lacks 'city'/,
    },
  ],
  [
    'a strict format with oneOf',
    { text: { format: { type: 'json_schema', name: 'x', strict: true, schema: nested({ oneOf: [schema] }) } } },
    { code: 'invalid_json_schema', param: 'text.format.schema', message: /'oneOf' is not permitted/ },
  ],
  ['a call without output', { input: [user, call] }, { code: null, param: 'input', message: /No tool output found/ }],
  ['an output without call', { input: [user, output] }, { code: null, param: 'input', message: /No tool call found/ }],
  [
    'two outputs',
    { input: [user, call, output, output] },
    { code: null, param: 'input', message: /No tool call found/ },
  ],
  ['two calls of one id', { input: [call, call, output] }, { code: null, param: 'input', message: /call_id call_1/ }],
  [
    'a reasoning id alone',
    { store: false, input: [user, reasoning, answer] },
    { status: 404, code: null, param: 'input', message: /Item with id 'rs_1' not found/ },
  ],
  [
    'an item reference',
    { input: [user, { type: 'item_reference', id: 'msg_1' }] },
    { status: 404, code: null, param: 'input', message: /Item with id 'msg_1' not found/ },
  ],
  [
    'encrypted content of another server',
    { input: [user, { ...reasoning, encrypted_content: 'gAAAAABqX1a78BDq' }, answer] },
    { code: 'invalid_encrypted_content', param: null, message: /could not be verified/ },
  ],
  [
    'encrypted content with another seal',
    { input: [user, { ...reasoning, encrypted_content: 'sim_abc.abc' }, answer] },
    { code: 'invalid_encrypted_content', param: null },
  ],
  [
    'an earlier response',
    { previous_response_id: 'resp_1' },
    { code: 'previous_response_not_found', param: 'previous_response_id' },
  ],
];

for (const [title, params, { status = 400, message = /./, ...error }] of refused) {
  test(`the Responses wire refuses ${title}`, async ({ model }) => {
    const response = await model.post(params);

    expect([response.status, await response.json()]).toMatchObject([
      status,
      { error: { type: 'invalid_request_error', message: expect.stringMatching(message), ...error } },
    ]);
  });
}

test('the Responses wire refuses reasoning without its following item', async ({ model }) => {
  const params = { store: false, include: ['reasoning.encrypted_content' as const] };
  const { output } = await model.respond({
    ...params,
    input: '{"sim":{"final":{"reasoning":"hm","say":"Yes."}}}',
  });

  const response = await model.post({ ...params, input: [user, output[0], user] });

  expect(response.status).toBe(400);
  expect(await response.text()).toContain('without its required following item');
});

test('the Responses wire accepts other items between a call and its output', async ({ model }) => {
  const response = await model.post({ input: [user, call, { role: 'developer', content: 'Wait.' }, output] });

  expect(response.status).toBe(200);
});

test('strict tools with a valid schema and loose tools are accepted', async ({ model }) => {
  const tools = [getWeather, { ...getWeather, name: 'loose', strict: false, parameters: { type: 'object' } }];

  const response = await model.respond({ tools });

  expect(response.output.map((item) => item.type === 'function_call' && item.name)).toEqual([
    false,
    'get_weather',
    'loose',
  ]);
});

function nested(items: object) {
  return {
    type: 'object',
    properties: { list: { type: 'array', items } },
    required: ['list'],
    additionalProperties: false,
  };
}
