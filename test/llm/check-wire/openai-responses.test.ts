import { expect, test } from 'vitest';
import { checkOpenaiResponses } from './openai-responses.ts';

const user = { type: 'message', role: 'user', content: 'Hi' };
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.', annotations: [] }] };
const call = (id: string, more: object = {}) => ({
  ...{ type: 'function_call', call_id: id, name: 'get_weather', arguments: '{}', ...more },
});
const output = (id: string, result: unknown = '15°C') => ({
  type: 'function_call_output',
  call_id: id,
  output: result,
});
const thought = { type: 'reasoning', summary: [], encrypted_content: 'SEALED' };
const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'Bern' } };
const drawn = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'iVBORw0K' };
const ran = { id: 'ci_1', type: 'code_interpreter_call', status: 'completed', code: '1', container_id: 'cntr_1' };
const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} }, strict: false };
const ask = (input: readonly object[], more: object = {}) => ({
  ...{ model: 'gpt-5.6', stream: true, store: false, input, tools: [tool], ...more },
});
const whole = [
  user,
  thought,
  call('a'),
  call('b'),
  output('b'),
  output('a'),
  search,
  drawn,
  ran,
  { ...said, phase: 'commentary' },
];

test('a whole history is valid on the Responses wire', () => {
  const parts = [
    { type: 'input_text', text: 'Look' },
    { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
    { type: 'input_file', file_url: 'https://example.com/a.pdf' },
  ];

  expect(checkOpenaiResponses(ask(whole, { include: ['reasoning.encrypted_content'] }))).toEqual([]);
  expect(checkOpenaiResponses(ask([{ ...user, content: parts }, call('a'), output('a', parts)]))).toEqual([]);
  expect(checkOpenaiResponses({ ...ask([user]), input: 'Hi' })).toEqual([]);
});

test.for([
  [[user, call('a')], 'No tool output found for function call a.'],
  [[user, output('a')], 'No tool call found for function call output with call_id a.'],
  [[user, output('a'), call('a')], 'No tool call found for function call output with call_id a.'],
  [[user, call('a'), output('a'), output('a')], 'No tool call found for function call output with call_id a.'],
  [[user, call('a'), call('a'), output('a')], 'Duplicate function call with call_id a.'],
  [[user, call('x'.repeat(65)), output('x'.repeat(65))], 'maximum length 64, but got a string with length 65'],
  [[user, call('a', { name: 'get weather' }), output('a')], 'string does not match pattern'],
  [[user, call('a', { id: 'x_1' }), output('a')], "Expected an ID that begins with 'fc'."],
  [[user, call('a'), output('a', [])], "Missing required parameter: 'input[2].output'."],
  [[{ ...user, content: '' }], "Invalid 'input[0].content'"],
  [[{ ...user, content: [] }], "Invalid 'input[0].content'"],
  [[{ ...user, content: [{ type: 'input_text', text: '' }] }], "Invalid 'input[0].content[0]'"],
  [[{ ...user, content: [{ type: 'output_text', text: 'x', annotations: [] }] }], "Invalid value: 'output_text'."],
  [[{ ...user, content: [{ type: 'input_file', file_data: 'data:,x' }] }], "Invalid 'input[0].content[0]'"],
  [[{ ...said, content: [{ type: 'output_text', text: 'x' }] }], "Invalid 'input[0].content[0]'"],
  [[{ ...user, role: 'tool' }], "Invalid value: 'tool'."],
  [[{ ...user, name: 'x' }], "Unknown parameter: 'input[0].name'."],
  [[user, { type: 'weather_call' }], "Invalid value: 'weather_call'."],
  [[user, { ...search, id: undefined }, said], "Missing required parameter: 'input[1].id'."],
  [[user, { ...search, status: undefined }, said], "Missing required parameter: 'input[1].status'."],
  [[user, { ...drawn, result: '' }, said], "Invalid 'input[1].result': it is not an image in base64."],
  [[user, { ...ran, outputs: [{ type: 'image', url: '' }] }, said], "Invalid 'input[1].outputs[0].url': it is empty."],
  [[user, { ...ran, container_id: undefined }, said], "Missing required parameter: 'input[1].container_id'."],
  [[user, search, search, said], 'Duplicate item found with id ws_1.'],
  [[user, { type: 'reasoning', id: 'rs_1', summary: [] }, said], "Item with id 'rs_1' not found."],
  [[user, { type: 'item_reference', id: 'rs_1' }], "Item with id 'rs_1' not found."],
  [[user, { type: 'reasoning', summary: [] }, said], "'input[1].encrypted_content'"],
  [[user, { ...thought, encrypted_content: 'OTHER' }, said], 'The encrypted content OTHE... could not be verified.'],
  [[user, { ...thought, id: 'rs_1' }], "Item 'rs_1' of type 'reasoning' was provided without its required following"],
  [[user, thought, user, said], 'was provided without its required following item.'],
  [[user, call('a'), thought, output('a')], 'was provided without its required following item.'],
] as const)('the Responses API refuses the input %j', ([input, problem]) => {
  const server = { isOwnSeal: (sealed: string) => sealed === 'SEALED' };

  expect(checkOpenaiResponses(ask(input), server).join('; ')).toContain(problem);
});

const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const strict = (parameters: object) => ({ tools: [{ ...tool, strict: true, parameters }] });
const format = (schema: object, more: object = {}) => ({ text: { format: { type: 'json_schema', schema, ...more } } });
const model = 'gpt-4.1';

test.for([
  [{ stop: ['x'] }, "Unknown parameter: 'stop'."],
  [{ seed: 7 }, "Unknown parameter: 'seed'."],
  [{ input: [] }, "Missing required parameter: 'input'."],
  [{ store: true }, 'a response that would be stored'],
  [{ max_output_tokens: 15 }, 'Expected a value >= 16, but got 15 instead.'],
  [{ temperature: 0.2 }, "Unsupported parameter: 'temperature' is not supported with this model."],
  [{ top_p: 0.2 }, "Unsupported parameter: 'top_p' is not supported with this model."],
  [{ model, include: ['reasoning.encrypted_content'] }, 'Encrypted content is not supported with this model.'],
  [{ model, reasoning: { effort: 'low' } }, "Unsupported parameter: 'reasoning.effort'"],
  [{ include: ['everything'] }, "Invalid value: 'everything'."],
  [{ reasoning: { effort: 'most' } }, "Invalid value: 'most'."],
  [{ text: { verbosity: 'long' } }, "Invalid value: 'long'."],
  [{ tools: [{ ...tool, strict: undefined }] }, "Missing required parameter: 'tools[0].strict'."],
  [{ tools: [{ type: 'function', function: tool }] }, "Unknown parameter: 'tools[0].function'."],
  [{ tools: [{ ...tool, name: 'get weather' }] }, "Invalid 'tools[0].name'"],
  [{ tools: [{ type: 'weather' }] }, "Invalid value: 'weather'."],
  [{ tools: [tool, tool] }, 'two tools with the name get_weather'],
  [{ tools: [{ ...tool, parameters: { type: 'object' } }] }, 'an object without properties'],
  [{ tool_choice: { type: 'function', name: 'other' } }, "not found in 'tools'"],
  [{ tools: [], tool_choice: 'required' }, "must be specified with 'tools' parameter"],
  [strict({ ...closed, additionalProperties: undefined }), "'additionalProperties' is required to be false."],
  [strict({ ...closed, required: [] }), "Missing 'a'."],
  [strict({ ...closed, properties: { a: { oneOf: [] } } }), "'oneOf' is not permitted."],
  [strict({ ...closed, properties: { a: { type: 'object' } } }), "'additionalProperties' is required to be false."],
  [format({ ...closed, required: [] }, { name: 'a', strict: true }), "Missing 'a'."],
  [format(closed), "Missing required parameter: 'text.format.name'."],
  [format(closed, { name: 'a', json_schema: {} }), "Unknown parameter: 'text.format.json_schema'."],
  [{ prompt_cache_key: 'k'.repeat(65) }, "Invalid 'prompt_cache_key': string too long."],
  [{ prompt_cache_options: { ttl: '1h' } }, "Invalid value: '1h'."],
  [{ prompt_cache_options: { ttl: '12h' }, prompt_cache_retention: '24h' }, 'cannot be combined'],
  [{ stream_options: { include_usage: true } }, "Unknown parameter: 'stream_options.include_usage'."],
] as const)('the Responses API refuses the fields %j', ([fields, problem]) => {
  expect(checkOpenaiResponses(ask([user], fields)).join('; ')).toContain(problem);
});

test('the Responses API accepts strict schemas, sampling and cache options', () => {
  expect(checkOpenaiResponses(ask([user], strict(closed)))).toEqual([]);
  expect(checkOpenaiResponses(ask([user], format(closed, { name: 'a', strict: true })))).toEqual([]);
  expect(checkOpenaiResponses(ask([user], { model, temperature: 0.2, top_p: 0.5, max_output_tokens: 16 }))).toEqual([]);
  const cache = { prompt_cache_key: 'k', prompt_cache_options: { ttl: '30m' } };
  expect(checkOpenaiResponses(ask([user], { ...cache, reasoning: { effort: 'low', summary: 'auto' } }))).toEqual([]);
});
