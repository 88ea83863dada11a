import { expect, test } from 'vitest';
import { readBody, refusalOf } from './read-body.ts';

const read = async (...input: object[]) => (await readBody({ input })).input.map(({ item }) => item);
const text = (words: string, type = 'input_text') => ({ type, text: words });

test('messages are accepted with and without a type, as a text or as parts', async () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' };
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' };

  expect(
    await read(
      { type: 'message', role: 'developer', content: [text('Be brief.'), text('And kind.')] },
      { role: 'user', content: [text('Hi')] },
      { role: 'user', content: [text('Look:'), image, file] },
      {
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [text('Well,', 'output_text'), { type: 'refusal', refusal: ' no.' }],
      },
    ),
  ).toEqual([
    { role: 'developer', content: 'Be brief.\nAnd kind.' },
    { role: 'user', content: 'Hi' },
    { role: 'user', content: [text('Look:'), image, file] },
    { role: 'assistant', content: 'Well, no.' },
  ]);
});

test('calls, their results and calls of an MCP server are accepted', async () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'locate', arguments: '{}' };
  const custom = { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'x' };
  const ran = { type: 'mcp_call', server_label: 'docs', name: 'search', arguments: '{}' };
  const error = { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'Away.' }] };

  expect(
    await read(
      { ...call, id: 'fc_1', status: 'completed' },
      { type: 'function_call_output', call_id: 'c1', output: [text('Lisbon')] },
      custom,
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
      { ...ran, id: 'mcp_1', output: '20', error: null, approval_request_id: null },
      { ...ran, output: null, error },
    ),
  ).toEqual([
    call,
    { type: 'function_call_output', call_id: 'c1', output: 'Lisbon' },
    custom,
    { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
    { ...ran, output: '20', error: null },
    { ...ran, output: null, error: 'Away.' },
  ]);
});

test('an mcp_call without a result becomes a reference if its id belongs to Pawl', async () => {
  const id = 'mcp_01kagz8m4pfvbte2n5q7rys3wx_r1_0';
  const ran = { type: 'mcp_call', server_label: 'docs', name: 'search', arguments: '{}' };
  const call = { ...ran, output: null, error: null };

  expect(await read({ ...ran, id }, { ...ran, id, output: '' }, { ...ran, id: 'mcp_1' }, ran)).toEqual([
    { type: 'item_reference', id, call },
    { ...call, output: '' },
    call,
    call,
  ]);
});

test('an output without a call becomes a message of the user that names its tool', async () => {
  const goal = { type: 'function_call_output', id: 'fco_1', name: 'goal', namespace: 'agent', output: 'Ship it.' };

  expect(await read(goal, { ...goal, call_id: null, namespace: null, output: [text('Ship it.')] })).toEqual([
    { role: 'user', content: [text('Output of agent.goal, not called by you:'), text('Ship it.')] },
    { role: 'user', content: [text('Output of goal, not called by you:'), text('Ship it.')] },
  ]);
});

test('useless items are dropped, and references keep their place for resolution', async () => {
  const { input } = await readBody({
    input: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { type: 'mcp_list_tools', server_label: 'a', tools: [] },
      { role: 'assistant', content: [] },
      { type: 'item_reference', id: 'msg_1' },
      { id: 'msg_2' },
      { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'a', name: 'b', arguments: '{}' },
      { role: 'user', content: 'Hi' },
    ],
  });

  expect(input).toEqual([
    { at: 3, item: { type: 'item_reference', id: 'msg_1' } },
    { at: 4, item: { type: 'item_reference', id: 'msg_2' } },
    { at: 5, item: { type: 'item_reference', id: 'mcpr_1', mayMiss: true } },
    { at: 6, item: { role: 'user', content: 'Hi' } },
  ]);
});

const user = (...content: object[]) => ({ role: 'user', content });

test.each([
  ['unsupported_input_item', 'input[1].type', [user(text('a')), { type: 'computer_call', call_id: 'c' }]],
  ['missing_required_parameter', 'input[0].approve', [{ type: 'mcp_approval_response', approval_request_id: 'a' }]],
  ['unsupported_content', 'input[0].content[1].type', [user(text('a'), { type: 'input_audio' })]],
  ['unsupported_content', 'input[0].content[0].type', [user({ type: 'input_video', file_id: 'file_1' })]],
  ['unsupported_content', 'input[0].content[0].type', [{ role: 'system', content: [{ type: 'input_image' }] }]],
  ['invalid_value', 'input[0].content[0].image_url', [user({ type: 'input_image', image_url: 'ftp://a' })]],
  ['missing_required_parameter', 'input[0].content[0].image_url', [user({ type: 'input_image' })]],
  [
    'invalid_value',
    'input[0].content[0].detail',
    [user({ type: 'input_image', image_url: 'https://example.com/a', detail: 'mega' })],
  ],
  ['missing_required_parameter', 'input[0].content[0].file_data', [user({ type: 'input_file', filename: 'a' })]],
  ['missing_required_parameter', 'input[0].call_id', [{ type: 'function_call_output', output: '' }]],
  ['missing_required_parameter', 'input[0].content', [{ role: 'user' }]],
  ['invalid_value', 'input[0].role', [{ role: 'owner', content: 'a' }]],
  ['invalid_value', 'input[0].content', [{ role: 'user', content: '' }]],
])('an input is refused with %s at %s', async (code, param, input) => {
  expect(await refusalOf({ input })).toMatchObject({ status: 400, code, param });
});
