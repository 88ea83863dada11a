import { expect, test } from 'vitest';
import { checkInput, openCalls } from '#core/turn/history/check-input.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import { fillTool } from '#core/turn/request/tool.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const pay = fillTool({ type: 'function', name: 'pay', approval: 'always', execution: { kind: 'server' } });
const REQUEST = 'mcpr_01m7w82gkpe02bxqqn57m42ygc_r1_';
const answer = (id: string, approve = true, reason: string | null = null): InputItem => ({
  ...{ type: 'mcp_approval_response', approval_request_id: id, approve, reason },
});
const output = (call_id: string): InputItem => ({ type: 'function_call_output', call_id, output: 'here' });
const said: InputItem = { role: 'user', content: 'Hi' };

/** Returns a turn that handed over two calls for approval, and one call to its caller. */
const asking = (own: Partial<Turn> = {}): Turn => {
  const calls = ['a', 'b'].map((id) => ({ id, name: 'pay', result: HANDED_OVER }));
  const round = makeRound(1, null, [...calls, { id: 'own', name: 'locate', result: HANDED_OVER }]);
  const turn = makeTurn({ status: 'completed', output: '', rounds: [round], ...own });
  return { ...turn, config: { ...turn.config, tools: [pay] } };
};
const results = (...turns: Turn[]) =>
  transcriptOf(turns).flatMap((message) => (message.role === 'tool' ? [`${message.callId}: ${message.content}`] : []));
const denied = 'Tool execution failed (permission_denied): A person denied this call';

test('an approved call has the result of the turn that adopted the call', () => {
  const adopted = makeRound(0, null, [{ id: 'x' }, { id: 'y' }]).calls;
  const next = makeTurn({ adopted, input: [answer(`${REQUEST}1`), output('own'), answer(`${REQUEST}0`)] });
  const [first, second] = adopted.map((call, index) => ({ ...call, result: { ...call.result!, content: `${index}` } }));

  expect(results(asking(), { ...next, adopted: [first!, second!] })).toEqual(['a: 1', 'b: 0', 'own: here']);
  expect(results(asking(), { ...next, adopted: [] })[0]).toContain('(cancelled)');
});

test('an unanswered approval request counts as denied, and a denial has its reason', () => {
  const next = makeTurn({ input: [said, answer(`${REQUEST}0`, false, 'Too dear.')] });

  expect(results(asking(), next).slice(0, 2)).toEqual([
    `a: ${denied}: Too dear.`,
    expect.stringContaining(`b: ${denied}: `),
  ]);
  expect(results(asking(), makeTurn({ input: [said] }), next)[0]).toContain(denied);
});

test('an approval request in the input is a call, and is denied if unanswered', () => {
  const request: InputItem = {
    ...{ type: 'mcp_approval_request', id: 'mcpr_x', server_label: 'docs', name: 'find', arguments: '{}' },
  };

  expect(results(makeTurn({ input: [request, answer('mcpr_x', false)] }))).toEqual([`mcp_1: ${denied}.`]);
  expect(results(makeTurn({ input: [answer('mcpr_x'), request] }))).toEqual([expect.stringContaining(denied)]);
  expect(transcriptOf([makeTurn({ input: [request] })])[0]).toMatchObject({ calls: [{ name: 'docs__find' }] });
  expect(checkInput([], [request, answer('mcpr_x')])).toBeNull();
  expect(checkInput([], [answer('mcpr_x'), request])).toMatchObject({ request: 'mcpr_x' });
});

test('approval requests take only approvals, at most one each', () => {
  const own = output('own');

  expect(openCalls([asking()])).toMatchObject({ ofCaller: [{ id: 'own' }], requests: [{ id: 'a' }, { id: 'b' }] });
  expect(checkInput([asking()], [own])).toBeNull();
  expect(checkInput([asking()], [answer(`${REQUEST}0`), own])).toBeNull();
  expect(checkInput([asking()], [own, output('a')])?.message).toMatch(/^No tool call found/);
  const twice = [own, answer(`${REQUEST}0`), answer(`${REQUEST}0`, false)];
  expect(checkInput([asking()], twice)).toMatchObject({ param: 'input[2].approval_request_id' });
  expect(checkInput([asking()], [own, answer(`${REQUEST}2`)])).toMatchObject({
    ...{ request: `${REQUEST}2`, param: 'input[1].approval_request_id' },
  });
});

test('only the last ended turn of a history has open approval requests', () => {
  const later = makeTurn({ status: 'completed', output: 'Ok.' });

  expect(checkInput([asking(), later], [answer(`${REQUEST}0`)])).toMatchObject({ request: `${REQUEST}0` });
  expect(checkInput([asking({ status: 'in_progress' })], [answer(`${REQUEST}0`)])).toMatchObject({
    request: `${REQUEST}0`,
  });
  expect(checkInput([asking({ status: 'cancelled', output: null })], [answer(`${REQUEST}0`)])).toBeNull();
});
