import { expect, test } from 'vitest';
import type { Exchange } from '#test/llm/recordings.ts';
import type { WireItem } from './heard.ts';
import { carryDifferences, requestDifferences } from './request-differences.ts';

const user = { role: 'user', content: 'Hi' };
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const call = {
  type: 'function_call',
  id: 'fc_1',
  status: 'completed',
  call_id: 'a',
  name: 'look',
  arguments: '{"x":1}',
};
const result = { type: 'function_call_output', call_id: 'a', output: 'ok' };
const body = (...input: WireItem[]) => ({ model: 'm', input });
const reply: Exchange<unknown> = {
  request: null,
  response: { status: 200, body: { status: 'completed', output: [thought, call] } },
};
const { id: _, ...bareThought } = thought;
const { id: __, status: ___, ...bareCall } = call;

test.for([
  [[thought, { ...call, call_id: 'b', arguments: '{ "x": 1 }' }, { ...result, call_id: 'b' }], []],
  [[call, thought, result], ['[1] type is "function_call" for "reasoning"']],
  [[{ ...thought, encrypted_content: 'other' }, call, result], []],
  [[{ ...thought, summary: [{ type: 'summary_text', text: 'Hm' }] }, call, result], ['[1] summary is ']],
  [[thought, call, { ...result, output: 'ko' }], ['[3] output is "ko" for "ok"']],
  [[thought, call], ['3 items for 4']],
] as const)('requests differ if their items differ: %j', ([ours, differences]) => {
  const found = requestDifferences(body(user, ...ours), body(user, thought, call, result));

  for (const difference of differences) expect(found.join('; ')).toContain(difference);
  expect(found.length > 0).toBe(differences.length > 0);
});

test.for([
  [[bareThought, bareCall, result], true],
  [[thought, bareCall, result], false],
  [[bareThought, call, result], false],
  [[bareCall, bareThought, result], false],
  [[bareThought, { ...bareCall, arguments: '{}' }, result], false],
  [[bareThought, { ...bareCall, more: 1 }, result], false],
  [[bareCall, result], false],
] as const)('a reply is sent back unchanged, without ids: %j', ([items, isSame]) => {
  expect(carryDifferences(body(user, ...items), [reply]).length === 0).toBe(isSame);
});
