import { expect, test } from 'vitest';
import { type CallOutput, repeatedOutputs, surplusOutputs } from '#core/turn/history/repeated-outputs.ts';
import type { InputItem, Part } from '#core/turn/request/item.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const asked = makeTurn({
  ...{ status: 'completed' as const, output: '' },
  rounds: [makeRound(1, null, [{ id: 'call_0', result: HANDED_OVER }])],
});
const call = (call_id: string): InputItem => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
const output = (call_id: string, text: string | Part[] = 'ok'): CallOutput => ({
  type: 'function_call_output',
  call_id,
  output: text,
});
const repeated = (input: InputItem[], given: CallOutput[] = []) => [...repeatedOutputs([asked], input, given)];

test('an output repeats an equal output of the same call', () => {
  expect(repeated([output('call_0'), output('call_0')])).toEqual([1]);
  expect(repeated([output('call_9'), output('call_0')], [output('call_9')])).toEqual([0]);
  expect(repeated([output('call_0'), output('call_0', 'no'), output('call_9', 'no')], [output('call_9')])).toEqual([]);
});

test('an output answers an open call although an earlier call had this output', () => {
  expect(repeated([output('call_0')], [output('call_0')])).toEqual([]);
  expect(repeated([output('call_0', 'old'), output('call_0', 'new')], [output('call_0', 'old')])).toEqual([0]);
  expect(repeated([call('a'), output('a'), call('a'), output('a')])).toEqual([]);
});

test('outputs with data are equal if their bytes are equal, inline or in a blob', () => {
  const url = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')}`;
  const sha256 = '4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6';
  const image = (image_url: string): Part[] => [{ type: 'input_image', image_url }];
  const kept = output('call_9', image(`blob:${sha256};image/png`));

  expect(repeated([output('call_9', image(url))], [kept])).toEqual([0]);
  expect(repeated([output('call_9', image(`/v1/blobs/${sha256}`))], [kept])).toEqual([0]);
  expect(repeated([output('call_9', image('https://example.com/a.png'))], [kept])).toEqual([]);
});

test('call ids with more outputs than open calls are looked up', () => {
  expect(surplusOutputs([asked], [output('call_0'), call('a'), output('a')])).toEqual([]);
  expect(surplusOutputs([asked], [output('call_0'), output('call_0'), output('b')])).toEqual(['call_0', 'b']);
});
