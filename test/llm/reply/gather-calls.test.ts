import { expect, test } from 'vitest';
import {
  type CallDelta,
  distinctCalls,
  gatherCall,
  nextChunk,
  requestedCall,
  startCalls,
} from '#core/llm/reply/gather-calls.ts';

const none: CallDelta = { index: null, id: '', name: '', text: '' };
type Given = Partial<CallDelta>;

/** Gathers chunks, each a delta or a list of deltas, and returns the calls. */
function gather(...chunks: (Given | Given[])[]) {
  const calls = startCalls(['get_weather', 'get_time', 'get', 'charge']);
  for (const chunk of chunks) {
    nextChunk(calls);
    for (const delta of [chunk].flat()) gatherCall(calls, { ...none, ...delta });
  }
  return distinctCalls(calls.all).map((call) => {
    const { id, name, arguments: args } = requestedCall(call, { toolNames: calls.toolNames, isCut: false });
    return [id, name, args].join(' ').trim();
  });
}

const at = (index: number, text: string, more: Given = {}) => ({ index, text, ...more });
const amount = (text: string): Given => ({ id: 'a', name: 'charge', text });
const charge = { index: 0, id: 'a', name: 'charge', text: '{"amount":5}' };

test.each<[what: string, chunks: (Given | Given[])[], calls: string[]]>([
  ['sent whole in each delta', [charge, charge, charge], ['a charge {"amount":5}']],
  [
    'sent whole with blanks of another kind',
    [charge, { ...charge, text: '{ "amount": 5 }' }],
    ['a charge {"amount":5}'],
  ],
  ['sent whole without an id', [at(0, '{}', { name: 'get_time' }), at(0, '{}', { name: 'get_time' })], ['get_time {}']],
  ['sent whole under another index', [charge, { ...charge, index: 1 }], ['a charge {"amount":5}']],
  ['named once more with a blank', [charge, { ...charge, text: ' ' }], ['a charge {"amount":5}']],
  [
    'named in each cumulative delta',
    [at(0, '{"a', amount('{"a')), at(0, '', amount('{"amount":5}'))],
    ['a charge {"amount":5}'],
  ],
  ['sent empty, then with arguments', [{ ...charge, text: '{}' }, charge], ['a charge {"amount":5}']],
  ['corrected under the same index and id', [charge, { ...charge, text: '{"amount":6}' }], ['a charge {"amount":6}']],
])('a call is one call if it is %s', (_, chunks, calls) => {
  expect(gather(...chunks)).toEqual(calls);
});

test.each<[what: string, chunks: (Given | Given[])[], calls: string[]]>([
  ['their ids differ', [charge, { ...charge, id: 'b' }], ['a charge {"amount":5}', 'b charge {"amount":5}']],
  [
    'they have neither index nor id',
    [
      { name: 'get_time', text: '{}' },
      { name: 'get_time', text: '{}' },
    ],
    ['get_time {}', 'get_time {}'],
  ],
  [
    'one chunk has both without ids',
    [[at(0, '{}', { name: 'get_time' }), at(0, '{}', { name: 'get_time' })]],
    ['get_time {}', 'get_time {}'],
  ],
  [
    'their names differ under one index',
    [at(0, '', { name: 'get_time' }), at(0, '', { name: 'get_weather' })],
    ['get_time {}', 'get_weather {}'],
  ],
  [
    'their arguments differ under one index without ids',
    [at(0, '{"a":1}', { name: 'get' }), at(0, '{"a":2}', { name: 'get' })],
    ['get {"a":1}', 'get {"a":2}'],
  ],
])('calls are two calls if %s', (_, chunks, calls) => {
  expect(gather(...chunks)).toEqual(calls);
});

test.each<[what: string, names: string[], called: string[]]>([
  ['in two pieces', ['get_', 'weather'], ['get_weather']],
  ['in three pieces', ['ge', 't_wea', 'ther'], ['get_weather']],
  ['in pieces of which the first is a tool', ['get', '_time'], ['get_time']],
  ['with a longer part each time', ['get_', 'get_wea', 'get_weather'], ['get_weather']],
  ['in pieces that match no tool', ['un', 'known'], ['un', 'known']],
])('a name that arrives %s is read', (_, names, called) => {
  const calls = gather(...names.map((name) => at(0, '', { name })));

  expect(calls).toEqual(called.map((name) => `${name} {}`));
});

test.each<[what: string, chunks: Given[], calls: string[]]>([
  [
    'the index of no call',
    [{ index: 0, id: 'a', name: 'charge' }, at(1, '{"amount":'), at(1, '5}')],
    ['a charge {"amount":5}'],
  ],
  [
    'the index of the first call',
    [
      { index: 0, id: 'a', name: 'charge', text: '{"amount":5}' },
      { index: 1, id: 'b', name: 'get_weather' },
      at(0, '{"city":'),
      at(0, '"Bern"}'),
    ],
    ['a charge {"amount":5}', 'b get_weather {"city":"Bern"}'],
  ],
  [
    'a wrong index and the right id',
    [
      { index: 0, id: 'a', name: 'charge' },
      { index: 1, id: 'b', name: 'get_weather' },
      at(1, '{"amount":5}', { id: 'a' }),
      at(0, '{"city":"Bern"}', { id: 'b' }),
    ],
    ['a charge {"amount":5}', 'b get_weather {"city":"Bern"}'],
  ],
])('arguments under %s are added to their call', (_, chunks, calls) => {
  expect(gather(...chunks)).toEqual(calls);
});

test('arguments in many cumulative pieces are kept once', () => {
  const whole = JSON.stringify({ text: 'word '.repeat(2_000) });
  const pieces = Array.from({ length: 1_000 }, (_, index) => whole.slice(0, (index + 1) * 10 + 2));

  expect(gather({ name: 'charge' }, ...[...pieces, whole].map((text) => ({ text })))).toEqual([`charge ${whole}`]);
});

test.each(['null', '[]', '""', '{}'])('arguments are read if %s is before or after them', (blank) => {
  const whole = ['a charge {"amount":5}'];
  expect(gather(at(0, blank, { id: 'a', name: 'charge' }), at(0, '{"amount":'), at(0, '5}'))).toEqual(whole);
  expect(gather(charge, at(0, blank))).toEqual(whole);
});

test('arguments continue if each piece has an invented id and the name', () => {
  const pieces = ['{"amount"', ':', '5}'].map((text, id) => at(0, text, { id: `${id}`, name: 'charge' }));
  expect(gather(...pieces)).toEqual(['0 charge {"amount":5}']);
});

test('arguments are read after a megabyte of blanks', () => {
  const blanks = ' '.repeat(1_000_000);
  expect(gather(at(0, `${blanks}x`, { name: 'charge' }), at(0, 'y'))).toEqual([`charge ${blanks}xy`]);
});
