import { expect, test } from 'vitest';
import { samplePoints, sampleQueue } from './matrix/sample-points.ts';

const points = Array.from({ length: 500 }, (_, index) => `before save-round #${index + 1}`);

test('a sample of points is the same in each run, independent of the other points', () => {
  const sample = samplePoints(points, 'a turn', 10);
  const later = samplePoints(['take a job', ...points.toReversed()], 'a turn', 10);

  expect(new Set(later.filter((point) => point !== 'take a job'))).toEqual(new Set(sample));
  expect(sample.length).toBeGreaterThan(points.length / 20);
  expect(sample.length).toBeLessThan(points.length / 5);
});

test('a sample of size 1 contains all points', () => {
  expect(samplePoints(points, 'a turn', 1)).toEqual(points);
});

test('a sample plays references on each queue', () => {
  const queues = ['a turn', 'two turns', 'a fork', 'a schedule', 'a request'].map((of) => sampleQueue(of, 2));

  expect(new Set(queues)).toEqual(new Set([0, 1]));
});
