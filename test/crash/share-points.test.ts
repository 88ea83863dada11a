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

test('points that both queues cross alike are dealt to one queue in turn', () => {
  const play = { crossed: ALIKE, points: ALIKE };

  const [one, other] = sharePoints([play, play]);

  expect(one).toEqual(['before select', 'take job', 'before save', 'before enqueue next', 'before end']);
  expect(other).toEqual(['take job', 'before begin', 'before enqueue next', 'before find']);
});

test('points that reach the queue or message other processes are played on both queues', () => {
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

test('a point after a different crossing to the queue is played on both queues', () => {
  const one = ['take job', 'before begin', 'before save', 'take other', 'before ask'];
  const other = ['take job', 'before begin', 'take other', 'before save', 'before ask'];

  const shares = sharePoints([
    { crossed: one, points: one },
    { crossed: other, points: other },
  ]);

  expect(shares[0]).toContain('before save');
  expect(shares[1]).toContain('before save');
});

test('the first point after an unplayed crossing is played on both queues', () => {
  const crossed = ['take job', 'before begin', 'before save', 'before commit'];
  const play = { crossed, points: ['before begin', 'before save', 'before commit'] };

  const shares = sharePoints([play, play]);

  expect(shares).toEqual([
    ['before begin', 'before save'],
    ['before begin', 'before commit'],
  ]);
});

test('a point that only one queue crosses is played on that queue', () => {
  const more = ['take job', 'before begin', 'before save'];

  const shares = sharePoints([
    { crossed: more, points: more },
    { crossed: ['take job', 'before begin'], points: ['take job', 'before begin'] },
  ]);

  expect(shares).toEqual([more, ['take job']]);
});

test('a single queue plays every point', () => {
  const play = { crossed: ALIKE, points: ALIKE };

  expect(sharePoints([play])).toEqual([ALIKE]);
});
