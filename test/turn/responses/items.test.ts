import { expect, test } from 'vitest';
import type { InputItem } from '#core/turn/request/item.ts';
import { fillTool, type TurnTool } from '#core/turn/request/tool.ts';
import { inputItems, itemOf } from '#core/turn/responses/input-item.ts';
import { itemIdOf, readItemId, responseIdOf, turnIdOf } from '#core/turn/responses/item-id.ts';
import { outputItems } from '#core/turn/responses/output-item.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { errorResult, type ToolResult } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { makeRound, makeTurn } from '../make-turn.ts';

const X = '01m7w82gkpe02bxqqn57m42ygc';
const handedOver: ToolResult = {
  ...{
    status: 'handed_over',
    content: null,
    error: null,
    truncated: false,
    cached: false,
    duration_ms: 0,
    attempts: 0,
  },
};

const tool = (name: string, own: Partial<TurnTool> = {}): TurnTool => ({
  ...fillTool({ type: 'function', name }),
  ...own,
});
const tools = [
  tool('locate', { handOver: { custom: false } }),
  tool('patch', { handOver: { custom: true } }),
  tool('docs__search', { execution: { kind: 'mcp', server: 'docs' } }),
  tool('post', { execution: { kind: 'http', url: 'https://example.com', headers: {} } }),
  tool('weather', { execution: { kind: 'server' } }),
];

const responding = (own: Partial<Turn>, summary: string | null = null): Turn => {
  const turn = makeTurn(own);
  const native = presentResponse(turn);
  const { output: _, ...echo } = { ...native, conversation: null, service_tier: 'default', include: [] };
  return { ...turn, config: { ...plainConfig, tools, response: { ...echo, reasoning: { effort: null, summary } } } };
};

test('an item id is derived from its turn and place, and can be parsed', () => {
  expect(responseIdOf(`turn_${X}`)).toBe(`resp_${X}`);
  expect(turnIdOf(`resp_${X}`)).toBe(`turn_${X}`);
  for (const text of ['', 'resp_1', `turn_${X}`, `resp_${X}x`, 'resp_u1m7w82gkpe02bxqqn57m42ygc']) {
    expect(turnIdOf(text)).toBeUndefined();
  }

  const places = [
    { kind: 'round', prefix: 'msg', round: 2, call: null },
    { kind: 'round', prefix: 'fc', round: 2, call: 0 },
    { kind: 'input', prefix: 'fco', index: 3 },
  ] as const;
  const ids = places.map((place) => itemIdOf(`turn_${X}`, place));
  expect(ids).toEqual([`msg_${X}_r2`, `fc_${X}_r2_0`, `fco_${X}_i3`]);
  expect(ids.map(readItemId)).toEqual(places.map((place) => ({ turnId: `turn_${X}`, place })));
  for (const text of ['msg_1', `msg_${X}`, `msg_${X}_r02`, `cow_${X}_r2`, `msg_${X}_i2_0`, `msg_${X}_r2_0_0`]) {
    expect(readItemId(text)).toBeUndefined();
  }
});

test('a round shows its reasoning, its message and its calls in model order', () => {
  const calls = [
    {
      name: 'weather',
      arguments: '{"city":"Lisbon"}',
      result: { ...handedOver, status: 'success' as const, content: '20' },
    },
    { name: 'locate', arguments: '', result: handedOver },
    { name: 'patch', arguments: '{"input":"*** Begin"}', result: handedOver },
    { name: 'docs__search', result: errorResult({ category: 'network_error', message: 'Away.', details: {} }) },
    { name: 'post', result: null },
  ];
  const rounds = [{ ...makeRound(1, 'One moment.', calls), reasoning: 'Where?' }];
  const turn = responding({ rounds }, 'auto');

  expect(outputItems(turn)).toEqual([
    ...[
      {
        id: `rs_${X}_r1`,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Where?' }],
      },
    ],
    {
      ...{ id: `msg_${X}_r1`, type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'One moment.', annotations: [], logprobs: [] }],
    },
    {
      ...{ id: `mcp_${X}_r1_0`, type: 'mcp_call', status: 'completed', server_label: 'pawl', name: 'weather' },
      ...{ arguments: '{"city":"Lisbon"}', output: '20', error: null, approval_request_id: null },
    },
    {
      ...{ id: `fc_${X}_r1_1`, type: 'function_call', status: 'completed', call_id: 'call_1_1', name: 'locate' },
      arguments: '{}',
    },
    {
      ...{ id: `ctc_${X}_r1_2`, type: 'custom_tool_call', status: 'completed', call_id: 'call_1_2', name: 'patch' },
      input: '*** Begin',
    },
    {
      ...{ id: `mcp_${X}_r1_3`, type: 'mcp_call', status: 'failed', server_label: 'docs', name: 'search' },
      ...{ arguments: '{}', output: null, approval_request_id: null },
      error: {
        type: 'mcp_tool_execution_error',
        content: [{ type: 'text', text: 'Tool execution failed (network_error): Away.' }],
      },
    },
    {
      ...{ id: `mcp_${X}_r1_4`, type: 'mcp_call', status: 'in_progress', server_label: 'http', name: 'post' },
      ...{ arguments: '{}', output: null, error: null, approval_request_id: null },
    },
  ]);
  expect(outputItems(responding({ rounds }))[0], 'where no summary was asked for').toMatchObject({ type: 'message' });
});

test('a round without text has no message, and the last text is the output', () => {
  const rounds = [makeRound(1, null, [{ name: 'weather' }]), makeRound(2, null)];

  expect(outputItems(responding({ rounds, status: 'completed', output: 'Fine.' }))).toMatchObject([
    { id: `mcp_${X}_r1_0` },
    { id: `msg_${X}_r2`, content: [{ text: 'Fine.' }] },
  ]);
});

test('a turn that handed over its last round shows the text once', () => {
  const calls = [{ name: 'locate', result: handedOver }];
  for (const text of ['Wait.', null]) {
    const turn = responding({ rounds: [makeRound(1, text, calls)], status: 'completed', output: 'Wait.' });

    expect(outputItems(turn)).toMatchObject([
      { type: 'message', content: [{ text: 'Wait.' }] },
      { type: 'function_call' },
    ]);
  }
});

test('input items are listed in order, normalised, with ids', () => {
  const image = { type: 'input_image' as const, image_url: 'https://example.com/a.png' };
  const input: InputItem[] = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Look:' }, image] },
    { role: 'assistant', content: 'Nice.' },
    { type: 'function_call', call_id: 'c1', name: 'locate', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'Lisbon' },
    { type: 'opaque_state', provider: 'gemini', state: {} },
    { type: 'mcp_call', server_label: 'docs', name: 'search', arguments: '{}', output: null, error: 'Away.' },
  ];

  expect(inputItems(responding({ input }))).toMatchObject([
    { id: `msg_${X}_i0`, type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
    { id: `msg_${X}_i1`, content: [{ text: 'Look:' }, { ...image, detail: 'auto' }] },
    { id: `msg_${X}_i2`, content: [{ type: 'output_text', text: 'Nice.', annotations: [], logprobs: [] }] },
    { id: `fc_${X}_i3`, call_id: 'c1', status: 'completed' },
    { id: `fco_${X}_i4`, call_id: 'c1', output: 'Lisbon' },
    { id: `mcp_${X}_i6`, status: 'failed', error: { content: [{ text: 'Away.' }] } },
  ]);
});

test('an id finds its item, as an input with the same content', () => {
  const success = { ...handedOver, status: 'success' as const, content: '20' };
  const calls = [
    { name: 'weather', result: success },
    { name: 'locate', result: handedOver },
  ];
  const rounds = [{ ...makeRound(1, 'Wait.', calls), reasoning: 'Where?' }];
  const turn = responding({ rounds, input: [{ role: 'user', content: 'Hi' }] });

  expect(itemOf(turn, `msg_${X}_i0`)).toEqual({ role: 'user', content: 'Hi' });
  expect(itemOf(turn, `msg_${X}_r1`)).toEqual({ role: 'assistant', content: 'Wait.' });
  expect(itemOf(turn, `mcp_${X}_r1_0`)).toMatchObject({ type: 'mcp_call', output: '20', error: null });
  expect(itemOf(turn, `fc_${X}_r1_1`)).toEqual({
    ...{ type: 'function_call', call_id: 'call_1_1', name: 'locate', arguments: '{}' },
  });
  expect(itemOf(turn, `rs_${X}_r1`), 'a reply without reasoning has no reasoning item').toBeNull();
  const others = [`fc_${X}_i0`, `msg_${X}_i1`, `msg_${X}_r2`, `fc_${X}_r1_0`, `rs_${X}_r2`, 'msg_1'];
  for (const id of others) expect(itemOf(turn, id)).toBeUndefined();
  expect(itemOf(turn, `msg_${X.replace('m', 'n')}_i0`)).toBeUndefined();
});
