import { expect, test } from 'vitest';
import { fillTool } from '#core/turn/request/tool.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { responseEvents } from '#core/turn/responses/events.ts';
import { inputItems, itemOf } from '#core/turn/responses/input-item.ts';
import { outputItems } from '#core/turn/responses/output-item.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import { makeRound } from '../make-turn.ts';
import { joinedOutput, makeResponse } from './make-response.ts';

const SUFFIX = '01m7w82gkpe02bxqqn57m42ygc';
const mcp = fillTool({ type: 'function', name: 'docs__find', execution: { kind: 'mcp', server: 'docs' } });
const registry = fillTool({ type: 'function', name: 'now', execution: { kind: 'server' } });
const allowed = (id: string, approve = true) => ({
  ...{ type: 'mcp_approval_response' as const, approval_request_id: id, approve, reason: null },
});
const withConfig = (turn: Turn, config: Partial<TurnConfig>) => ({ ...turn, config: { ...turn.config, ...config } });

/** Returns a response that adopted an MCP call and a registry call. A third call between them was denied. */
const adopting = (own: Partial<Turn> & { calls?: Partial<ToolCall>[] } = {}) => {
  const { calls = [{}, {}], ...rest } = own;
  const [first, second] = calls;
  const { calls: adopted } = makeRound(0, null, [
    { name: 'docs__find', ...first },
    { name: 'now', ...second },
  ]);
  const input = [allowed('mcpr_a'), allowed('mcpr_b', false), allowed('mcpr_c')];
  const turn = makeResponse({
    status: 'completed',
    output: 'Hi',
    rounds: [makeRound(1, null)],
    adopted,
    input,
    ...rest,
  });
  return withConfig(turn, { adopted_tools: [mcp, registry], tools: [] });
};

test('a handed-over call of Pawl is a request, under the name at its server', () => {
  const calls = [
    { name: 'docs__find', arguments: '', result: HANDED_OVER },
    { name: 'mine', result: HANDED_OVER },
  ];
  const turn = withConfig(makeResponse({ status: 'completed', output: '', rounds: [makeRound(1, null, calls)] }), {
    tools: [mcp, { ...fillTool({ type: 'function', name: 'mine' }), handOver: { custom: false } }],
  });

  const [request, own] = outputItems(turn);
  expect(request).toEqual({
    ...{ id: `mcpr_${SUFFIX}_r1_0`, type: 'mcp_approval_request' },
    ...{ server_label: 'docs', name: 'find', arguments: '{}' },
  });
  expect(own).toMatchObject({ type: 'function_call', name: 'mine' });
  expect(itemOf(turn, `mcpr_${SUFFIX}_r1_0`)).toEqual(request);
  expect(itemOf(turn, `mcpr_${SUFFIX}_r1_1`)).toBeUndefined();
  expect(itemOf(turn, `mcp_${SUFFIX}_r1_0`)).toBeUndefined();
});

test('adopted calls begin the output, each with its approval request', () => {
  const turn = adopting();

  expect(outputItems(turn)).toMatchObject([
    { id: `mcp_${SUFFIX}_r0_0`, server_label: 'docs', name: 'find', approval_request_id: 'mcpr_a', output: 'ok' },
    { id: `mcp_${SUFFIX}_r0_1`, server_label: 'pawl', name: 'now', approval_request_id: 'mcpr_c' },
    { type: 'message' },
  ]);
  expect(itemOf(turn, `mcp_${SUFFIX}_r0_1`)).toMatchObject({ type: 'mcp_call', approval_request_id: 'mcpr_c' });
  expect(itemOf(turn, `mcprr_${SUFFIX}_i0`)).toBeNull();
  expect(inputItems(turn)[1]).toMatchObject({ id: `mcprr_${SUFFIX}_i1`, approve: false });
});

test('the log has adopted calls at its start, and results in order of arrival', () => {
  const received = [...responseEvents(adopting(), { after: -1, orderOf: (round) => (round === 0 ? [1, 0] : []) })];
  const results = received.filter(({ type }) => type === 'response.mcp_call.completed');

  expect(received.map(({ sequence_number: number }) => number).slice(0, 14)).toEqual([
    0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
  ]);
  expect(results.map(({ item_id: id }) => id)).toEqual([`mcp_${SUFFIX}_r0_1`, `mcp_${SUFFIX}_r0_0`]);
  expect(joinedOutput(received)).toEqual(presentResponse(adopting()).output);
  expect(received[0]).toMatchObject({ response: { status: 'in_progress', output: [] } });
});

test('every reading of the log gives an event the same number', () => {
  const one = [{}, { result: null }];
  const states = [
    adopting({
      status: 'queued',
      startedAt: null,
      rounds: [],
      output: null,
      calls: [{ result: null }, { result: null }],
    }),
    adopting({ status: 'in_progress', rounds: [], output: null, calls: one }),
    adopting({ status: 'in_progress', rounds: [], output: null }),
    adopting(),
  ].map((turn) => [...responseEvents(turn, { after: -1, orderOf: () => [0, 1] })]);

  const whole = states.at(-1)!.map(({ type, sequence_number }) => `${sequence_number} ${type}`);
  for (const received of states.slice(1)) {
    expect(whole.slice(0, received.length)).toEqual(
      received.map(({ type, sequence_number }) => `${sequence_number} ${type}`),
    );
  }
  expect(states.map((received) => received.length)).toEqual([1, 12, 14, 21]);
});
