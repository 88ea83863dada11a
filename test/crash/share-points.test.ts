import { expect, test } from 'vitest';
import { sharePoints } from './matrix/share-points.ts';

const ALIKE = [
  'before select',
  'take job',
  'before begin',
  'before save',
  'before enqueue next',
  'before find',
  'before end',
];

test('what both queues cross alike is dealt to one of them, in turn', () => {
  const play = { crossed: ALIKE, points: ALIKE };

  const [one, other] = sharePoints([play, play]);

  expect(one).toEqual(['before select', 'take job', 'before save', 'before enqueue next', 'before end']);
  expect(other).toEqual(['take job', 'before begin', 'before enqueue next', 'before find']);
});

test('what reaches the queue or tells other processes is played on both', () => {
  const ways = [
    'take job',
    'before enqueue job',
    'after enqueue job',
    'after acknowledge job',
    'before publish to workers',
  ];
  const play = { crossed: ways, points: ways };

  const shares = sharePoints([play, play]);

  expect(shares).toEqual([ways, ways]);
});

test('a point that comes behind another crossing to the queue is played on both', () => {
  const one = ['take job', 'before begin', 'before save', 'take other', 'before ask'];
  const other = ['take job', 'before begin', 'take other', 'before save', 'before ask'];

  const shares = sharePoints([
    { crossed: one, points: one },
    { crossed: other, points: other },
  ]);

  expect(shares[0]).toContain('before save');
  expect(shares[1]).toContain('before save');
});

test('the first point that is played behind a crossing which is not stands for it on both queues', () => {
  const crossed = ['take job', 'before begin', 'before save', 'before commit'];
  const play = { crossed, points: ['before begin', 'before save', 'before commit'] };

  const shares = sharePoints([play, play]);

  expect(shares).toEqual([
    ['before begin', 'before save'],
    ['before begin', 'before commit'],
  ]);
});

test('a point that only one queue crosses is played there', () => {
  const more = ['take job', 'before begin', 'before save'];

  const shares = sharePoints([
    { crossed: more, points: more },
    { crossed: ['take job', 'before begin'], points: ['take job', 'before begin'] },
  ]);

  expect(shares).toEqual([more, ['take job']]);
});

test('one queue alone is killed at every point', () => {
  const play = { crossed: ALIKE, points: ALIKE };

  expect(sharePoints([play])).toEqual([ALIKE]);
});
