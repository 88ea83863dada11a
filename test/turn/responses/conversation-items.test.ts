import { expect, test } from 'vitest';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import { itemsOfTurn, otherHalf, withoutItems } from '#core/turn/responses/conversation-items.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from '../make-turn.ts';

const [A, B, C] = ['a', 'b', 'c'].map((end) => `01m7w82gkpe02bxqqn57m42yg${end}`);
const call = (call_id: string): InputItem => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
const output = (call_id: string): InputItem => ({ type: 'function_call_output', call_id, output: 'ok' });
const said = (content: string): InputItem => ({ role: 'user', content });
const added = (id: string, ...input: InputItem[]) =>
  makeTurn({ id: `turn_${id}`, status: 'completed', startedAt: null, output: '', input });

const worked = (own: Partial<Turn> = {}) =>
  makeTurn({
    ...{ id: `turn_${A}`, status: 'completed', output: 'Noon.', input: [said('Hi')] },
    rounds: [
      { ...makeRound(1, 'Wait.', [{ id: 'call_1' }, { id: 'call_2' }]), opaque: 'state' },
      { ...makeRound(2, null), opaque: 'state' },
    ],
    ...own,
  });
const lines = (turn: Turn) => transcriptOf([turn]).map(({ role, content }) => `${role}: ${content}`);

test('a turn without deleted items keeps its other items unchanged', () => {
  const without = (...ids: string[]) => lines(withoutItems(worked(), ids));

  expect(without()).toEqual(['user: Hi', 'assistant: Wait.', 'tool: ok', 'tool: ok', 'assistant: Noon.']);
  expect(without(`msg_${A}_i0`, `msg_${A}_r2`)).toEqual(['assistant: Wait.', 'tool: ok', 'tool: ok']);
  expect(without(`mcp_${A}_r1_0`)).toEqual(['user: Hi', 'assistant: Wait.', 'tool: ok', 'assistant: Noon.']);
  const calls = [`mcp_${A}_r1_0`, `mcp_${A}_r1_1`];
  expect(without(...calls)).toEqual(['user: Hi', 'assistant: Wait.', 'assistant: Noon.']);
  expect(without(...calls, `msg_${A}_r1`)).toEqual(['user: Hi', 'assistant: Noon.']);
  expect(without(`msg_${A}_r1`)).toEqual(['user: Hi', 'assistant: null', 'tool: ok', 'tool: ok', 'assistant: Noon.']);
});

test('deleting an item also deletes the provider state of its round', () => {
  const { rounds } = withoutItems(worked(), [`mcp_${A}_r1_0`]);
  expect(rounds.map(({ opaque }) => opaque)).toEqual([null, 'state']);

  const state: InputItem = { type: 'opaque_state', provider: 'openai', state: 1 };
  const input = [state, said('a'), state, said('b')];
  expect(withoutItems(added(B!, ...input), [`msg_${B}_i1`]).input).toEqual([state, said('b')]);
});

test('the text of a round cut off by a cancel stays without its calls', () => {
  const cancelled = worked({ status: 'cancelled', output: null, rounds: [makeRound(1, 'Wait.', [{ id: 'call_1' }])] });

  expect(lines(withoutItems(cancelled, [`mcp_${A}_r1_0`]))).toEqual(['user: Hi', 'assistant: Wait.']);
});

test('a call and its result find each other across added items, not turns', () => {
  const thread = [
    added(A!, call('x'), call('x'), call('y')),
    added(B!, output('x'), said('Hi')),
    worked({ id: `turn_${C}`, input: [output('x'), output('z')] }),
  ];

  expect(otherHalf(thread, `fc_${A}_i1`)).toBe(`fco_${B}_i0`);
  expect(otherHalf(thread, `fco_${B}_i0`)).toBe(`fc_${A}_i1`);
  expect(otherHalf(thread, `fc_${A}_i0`)).toBe(`fco_${C}_i0`);
  for (const alone of [`fc_${A}_i2`, `fco_${C}_i1`, `msg_${B}_i1`]) expect(otherHalf(thread, alone)).toBeNull();
  const late = [added(A!, call('x')), worked({ id: `turn_${C}` }), added(B!, output('x'))];
  expect(otherHalf(late, `fc_${A}_i0`)).toBeNull();
});

test('the items of a turn are its input and output without deleted items', () => {
  const ids = (deleted: string[]) => itemsOfTurn(worked(), deleted).map(({ id }) => id);

  const [said, first, ...others] = ids([]);
  expect([said, first]).toEqual([`msg_${A}_i0`, `msg_${A}_r1`]);
  expect(others).toEqual([`mcp_${A}_r1_0`, `mcp_${A}_r1_1`, `msg_${A}_r2`]);
  expect(ids([`msg_${A}_i0`, `mcp_${A}_r1_1`])).toEqual([first, others[0], others[2]]);
});
