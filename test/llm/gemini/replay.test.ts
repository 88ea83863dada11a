import type { Content } from '@google/genai';
import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import { contentsOf, round } from '#test/llm/gemini/history.ts';
import { answer, call, user } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

test('gemini: signed parts are sent back in order with their signatures', () => {
  const state = {
    parts: [
      { whole: { text: 'Hm.', thought: true, thoughtSignature: 's0' } },
      { text: 4, thoughtSignature: 's1' },
      { call: 0, thoughtSignature: 's2' },
      { text: 3 },
      { call: 1 },
      { text: 0, thoughtSignature: 's3' },
    ],
  };
  const messages = [user('Hi'), round('One.two', [call('a'), call('b')], state), answer('a', '1'), answer('b', '2')];
  const functionCall = { name: 'get_weather', args: {} };

  const same = contentsOf(messages);
  const other = renderRequest({ ...someRequest, messages }, 'another').contents as Content[];

  expect(same[1]!.parts).toEqual([
    { text: 'Hm.', thought: true, thoughtSignature: 's0' },
    { text: 'One.', thoughtSignature: 's1' },
    { functionCall, thoughtSignature: 's2' },
    { text: 'two' },
    { functionCall },
    { text: '', thoughtSignature: 's3' },
  ]);
  expect(other[1]!.parts).toEqual([{ text: 'One.two' }, { functionCall }, { functionCall }]);
});

test('gemini: call ids are sent if Gemini gave an id to every call of the round', () => {
  const own = {
    parts: [
      { call: 0, id: 'a' },
      { call: 1, id: 'b' },
    ],
  };
  const idsOf = (state: unknown, calls = [call('a'), call('b')]) =>
    contentsOf([user('Hi'), round(null, calls, state), ...calls.map(({ id }) => answer(id, 'ok'))])
      .flatMap(({ parts }) => parts!)
      .flatMap(({ functionCall, functionResponse }) => (functionCall ?? functionResponse)?.id ?? []);

  expect(idsOf(own)).toEqual(['a', 'b', 'a', 'b']);
  expect(idsOf({ parts: [{ call: 0, id: 'a' }, { call: 1 }] })).toEqual([]);
  expect(idsOf(own, [call('a'), call('call_fresh')])).toEqual([]);
  expect(idsOf(undefined)).toEqual([]);
});

test.each([
  ['junk', 'junk'],
  ['a text of another length', { parts: [{ text: 99, thoughtSignature: 's' }, { call: 0 }] }],
  ['another number of calls', { parts: [{ text: 2 }, { call: 0 }, { call: 1, thoughtSignature: 's' }] }],
])('gemini: a state that does not fit its round (%s) is ignored', (_, state) => {
  const contents = contentsOf([user('Hi'), round('Hm', [call('a')], state), answer('a', 'ok')]);

  expect(contents[1]!.parts).toEqual([{ text: 'Hm' }, { functionCall: { name: 'get_weather', args: {} } }]);
});

test('gemini: invalid tool names are replaced by valid names', () => {
  const calls = [call('a', '{}', 'weird name!'), call('b', '{}', '')];
  const contents = contentsOf([
    user('Hi'),
    round(null, calls),
    answer('a', 'ok', { name: 'weird name!' }),
    answer('b', 'ok', { name: '' }),
  ]);

  const names = contents
    .flatMap(({ parts }) => parts!)
    .map((part) => (part.functionCall ?? part.functionResponse)?.name);
  expect(names).toEqual([undefined, 'weird_name_', 'unnamed', 'weird_name_', 'unnamed']);
});

test('gemini: unsigned calls get a placeholder signature if the model checks them', () => {
  const messages = [
    user('Hi'),
    round(null, [call('a')]),
    answer('a', 'ok'),
    user('Again'),
    round(null, [call('b'), call('c')]),
    answer('b', 'ok'),
    answer('c', 'ok'),
    round(null, [call('d')], { parts: [{ call: 0, thoughtSignature: 's' }] }),
    answer('d', 'ok'),
  ];
  const signaturesOf = (model: string) =>
    contentsOf(messages, { model })
      .flatMap(({ parts }) => parts!)
      .flatMap(({ functionCall, thoughtSignature }) => (functionCall ? (thoughtSignature ?? null) : []));

  const mark = 'skip_thought_signature_validator';
  expect(signaturesOf('gemini-3-pro-preview')).toEqual([mark, mark, null, 's']);
  expect(signaturesOf('gemini-2.5-pro')).toEqual([null, null, null, 's']);
});
