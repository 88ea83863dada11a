import { expect, test } from 'vitest';
import { jsonLines } from '#core/llm/batches/json-lines.ts';
import { collect } from './open-batches.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 5, 1000])('lines of JSON are read from pieces of %i bytes', async (size) => {
  const text = '{"custom_id":"a","é":1}\r\n\n[1]\nno JSON\n{"custom_id":"b"}';

  const lines = await collect(jsonLines(inPieces(text, size)));

  expect(lines).toEqual([
    { kind: 'line', fields: { custom_id: 'a', é: 1 } },
    { kind: 'line', fields: { custom_id: 'b' } },
  ]);
});

test.each([10, 10_000])('a line of JSON beyond the limit has its id, from pieces of %i bytes', async (size) => {
  const long = (beginning: string) => `{${beginning},"text":"${'x'.repeat(2000)}"}\n`;
  const text = `${long('"id":"r","custom_id":"a"')}${long('"custom_id":"b"')}${long('"text":"none"')}{"custom_id":"c"}\n`;

  const lines = await collect(jsonLines(inPieces(text, size), 500));

  expect(lines).toEqual([
    { kind: 'too-large', id: 'a' },
    { kind: 'too-large', id: 'b' },
    { kind: 'line', fields: { custom_id: 'c' } },
  ]);
});

test('a line of JSON with too many levels has its id', async () => {
  const text = `{"custom_id":"a","deep":${'['.repeat(200)}${']'.repeat(200)}}\n`;

  expect(await collect(jsonLines(inPieces(text, 100)))).toEqual([{ kind: 'too-large', id: 'a' }]);
});

test('a cut last line of JSON is refused after the whole lines', async () => {
  const read: unknown[] = [];
  const readAll = async () => {
    for await (const line of jsonLines(inPieces('{"custom_id":"a"}\n{"custom', 4))) read.push(line);
  };

  await expect(readAll()).rejects.toThrow('a cut line');

  expect(read).toHaveLength(1);
});
