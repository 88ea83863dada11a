import { expect, test } from 'vitest';
import { makeKeptBytes } from '#services/api/openai/responses/websocket/kept-bytes.ts';

/** Keeps responses of some bytes in order, and returns the names of the responses that remain. */
function keep(allBytes: number, responses: [project: string, name: string, bytes: number][]): string[] {
  const keptBytesOf = makeKeptBytes(allBytes);
  const left = new Set<string>();
  for (const [project, name, bytes] of responses) {
    left.add(name);
    keptBytesOf(project).hold(bytes, () => left.delete(name));
  }
  return [...left];
}

test('the project with the most bytes loses its oldest kept response', () => {
  expect(
    keep(100, [
      ['a', 'a1', 40],
      ['b', 'b1', 30],
      ['a', 'a2', 20],
      ['b', 'b2', 20],
    ]),
  ).toEqual(['b1', 'a2', 'b2']);
});

test('a response larger than the bound is dropped at once', () => {
  expect(keep(10, [['a', 'a1', 11]])).toEqual([]);
});

test('a released response frees its bytes once', () => {
  const keptBytesOf = makeKeptBytes(10);
  const dropped: string[] = [];
  const release = keptBytesOf('a').hold(8, () => dropped.push('first'));

  release();
  release();
  keptBytesOf('b').hold(8, () => dropped.push('second'));
  expect(dropped).toEqual([]);
  keptBytesOf('b').hold(8, () => dropped.push('third'));

  expect(dropped).toEqual(['second']);
});
