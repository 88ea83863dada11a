import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonElements } from '#core/llm/batches/gemini/json-elements.ts';
import { collect } from './open-batches.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (text: string, paths: RegExp, { size = 7, longest = 1000 } = {}) =>
  collect(jsonElements(inPieces(text, size), { paths, longest }));

const value = fc.jsonValue({ maxDepth: 4 });

test('the elements of a list are the values of JSON, in any spacing and any pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(value),
      value,
      fc.nat(3),
      fc.integer({ min: 1, max: 40 }),
      async (list, other, space, size) => {
        const text = JSON.stringify({ other, 'a"b': { list }, after: other }, null, space);

        const elements = await read(text, /^a\\"b\.list\.\d+$/, { size, longest: 1_000_000 });

        expect(elements.map(({ text: element }) => JSON.parse(element))).toEqual(JSON.parse(JSON.stringify(list)));
        expect(elements.map(({ path }) => path)).toEqual(list.map((_, index) => `a\\"b.list.${index}`));
      },
    ),
  );
});

test('elements of JSON have the paths of their keys and indices', async () => {
  const text = JSON.stringify({ a: [{ b: 1 }, { b: 'x', c: [] }], d: true, e: { b: null } });

  expect(await read(text, /(^|\.)(b|d)$/)).toEqual([
    { path: 'a.0.b', text: '1', isWhole: true },
    { path: 'a.1.b', text: '"x"', isWhole: true },
    { path: 'd', text: 'true', isWhole: true },
    { path: 'e.b', text: 'null', isWhole: true },
  ]);
});

test('an element of JSON beyond the limit has only its beginning', async () => {
  const text = JSON.stringify({ list: [{ key: 'long', text: 'x'.repeat(5000) }, { key: 'short' }] });

  const elements = await read(text, /^list\.\d+$/, { size: 64, longest: 2000 });

  expect(elements.map(({ isWhole }) => isWhole)).toEqual([false, true]);
  expect(elements[0]?.text).toMatch(/^\{"key":"long"/);
  expect(elements[0]?.text.length).toBeLessThanOrEqual(2000);
  expect(elements[1]?.text).toBe('{"key":"short"}');
});

test.each(['', '{"list":[1,2', '{"list":["a', '{"list":[1]'])('a cut text of JSON is refused: %s', async (text) => {
  await expect(read(text, /^list\.\d+$/)).rejects.toThrow('a cut answer');
});

test('a text of JSON with too many levels is refused', async () => {
  await expect(read('['.repeat(200), /^x$/)).rejects.toThrow('more than 100 levels of JSON');
});
