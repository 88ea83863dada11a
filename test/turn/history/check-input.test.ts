import { expect, test } from 'vitest';
import { checkInput, openCalls } from '#core/turn/history/check-input.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const over = (own: Partial<Turn> = {}) => {
  const calls = ['call_0', 'call_1'].map((id) => ({ id, result: HANDED_OVER }));
  const round = makeRound(1, null, [...calls, { id: 'call_server' }]);
  return makeTurn({ status: 'completed', rounds: [round], output: '', ...own });
};
const call = (call_id: string): InputItem => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
const output = (call_id: string): InputItem => ({ type: 'function_call_output', call_id, output: 'ok' });
const said: InputItem = { role: 'user', content: 'Hi' };

test('results of all handed-over calls are valid in any order and place', () => {
  expect(checkInput([over()], [output('call_1'), said, output('call_0')])).toBeNull();
  expect(openCalls([over()]).ofCaller.map(({ id }) => id)).toEqual(['call_0', 'call_1']);
});

test('the error names the first call without a result, in the words of OpenAI', () => {
  expect(checkInput([over()], [said])).toEqual({
    message: 'No tool output found for function call call_0. Send a function_call_output with this call_id.',
    param: 'input',
  });
  expect(checkInput([over()], [output('call_0')])?.message).toMatch(/^No tool output found for function call call_1\./);
  expect(checkInput([], [said, call('mine'), said])?.message).toMatch(/^No tool output found for function call mine\./);
});

test('a result without an earlier call is refused', () => {
  expect(checkInput([], [said, output('call_9')])).toEqual({
    message: expect.stringMatching(/^No tool call found for function call output with call_id call_9\. /),
    param: 'input[1].call_id',
  });
  expect(checkInput([], [output('a'), call('a')])?.message).toMatch(/^No tool call found/);
  expect(checkInput([], [call('a'), output('a')])).toBeNull();
  expect(checkInput([over()], ['call_0', 'call_1', 'call_server'].map(output))?.param).toBe('input[2].call_id');
});

test('a call is answered once, but a later call may use its id again', () => {
  const twice = [output('call_0'), output('call_1'), output('call_0')];

  expect(checkInput([over()], twice)).toEqual({
    message: expect.stringMatching(/^The call "call_0" already has a different output\. /),
    param: 'input[2].call_id',
  });
  expect(checkInput([], [output('call_9')], { answered: ['call_9'] })?.message).toMatch(
    /^The call "call_9" already has/,
  );
  expect(checkInput([over()], [output('call_1'), output('call_0'), call('call_0'), output('call_0')])).toBeNull();
});

test('only the last ended turn of a history has open calls', () => {
  expect(checkInput([over(), makeTurn({ status: 'completed', output: 'Ok.' })], [said])).toBeNull();
  expect(checkInput([over({ status: 'in_progress' })], [said])).toBeNull();
  expect(checkInput([over({ status: 'in_progress' })], [output('call_0')])?.message).toMatch(/^No tool call found/);
});

test('calls of a turn that did not complete may stay unanswered', () => {
  const cancelled = over({ status: 'cancelled', output: null });

  expect(checkInput([cancelled], [said])).toBeNull();
  expect(checkInput([cancelled], [said, output('call_0')])).toBeNull();
  expect(checkInput([cancelled], [call('call_0')])?.message).toMatch(/^No tool output found/);
});
