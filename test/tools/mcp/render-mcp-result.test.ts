import { expect, test, vi } from 'vitest';
import { renderMcpResult } from '#core/tools/mcp/result.ts';

const text = (said: string) => ({ type: 'text' as const, text: said });
const base64 = Buffer.from('twelve bytes').toString('base64');

test('texts are joined by line ends', () => {
  expect(renderMcpResult({ content: [text('one'), text(''), text('two')] })).toBe('one\ntwo');
  expect(renderMcpResult({ content: [] })).toBe('');
});

test('content that is not text is rendered as its kind and size', () => {
  const content = [
    { type: 'image' as const, mimeType: 'image/png', data: base64 },
    { type: 'audio' as const, mimeType: 'audio/wav', data: base64 },
    { type: 'resource' as const, resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob: base64 } },
    { type: 'resource' as const, resource: { uri: 'file:///b.bin', blob: base64 } },
    { type: 'resource' as const, resource: { uri: 'file:///a.txt', text: 'what a.txt says' } },
    { type: 'resource_link' as const, uri: 'https://example.com/a', name: 'a' },
  ];

  expect(renderMcpResult({ content }).split('\n')).toEqual([
    '[image, image/png, 12 bytes]',
    '[audio, audio/wav, 12 bytes]',
    '[resource file:///a.bin, application/zip, 12 bytes]',
    '[resource file:///b.bin, unknown type, 12 bytes]',
    'what a.txt says',
    '[link to https://example.com/a, name "a"]',
  ]);
});

test('structured content appears once', () => {
  const structuredContent = { city: 'Tokyo', celsius: 22 };
  const same = text('{ "celsius": 22, "city": "Tokyo" }');

  expect(renderMcpResult({ content: [], structuredContent })).toBe('{"city":"Tokyo","celsius":22}');
  expect(renderMcpResult({ content: [text('warm')], structuredContent })).toBe('warm\n{"city":"Tokyo","celsius":22}');
  expect(renderMcpResult({ content: [same], structuredContent })).toBe(same.text);
  expect(renderMcpResult({ content: [text('warm'), same], structuredContent })).toBe(`warm\n${same.text}`);
});

test('a text that servers wrap in structured content appears once', () => {
  const file = 'line one\n"line two"\n'.repeat(50);
  const image = { type: 'image' as const, mimeType: 'image/png', data: base64 };

  expect(renderMcpResult({ content: [text(file)], structuredContent: { content: file } })).toBe(file);
  expect(renderMcpResult({ content: [text('5')], structuredContent: { result: 5 } })).toBe('5');
  expect(
    renderMcpResult({ content: [text('a'), text('{"n":1}')], structuredContent: { result: ['a', { n: 1 }] } }),
  ).toBe('a\n{"n":1}');
  expect(renderMcpResult({ content: [image], structuredContent: { content: [image] } })).toBe(
    '[image, image/png, 12 bytes]',
  );
});

test('structured content with more than the text replaces the repeated text', () => {
  const content = [text('Two rows.'), text('a\nb')];

  expect(renderMcpResult({ content, structuredContent: { rows: 'a\nb', count: 2 } })).toBe(
    'Two rows.\n{"rows":"a\\nb","count":2}',
  );
  expect(renderMcpResult({ content: [], structuredContent: { result: [] } })).toBe('{"result":[]}');
  expect(renderMcpResult({ content: [text('1')], structuredContent: { result: [1, 2] } })).toBe('1\n{"result":[1,2]}');
});

test('each text and property of a result is read only a few times', () => {
  let looks = 0;
  const property = (n: number) => ({
    get n() {
      looks += 1;
      return n;
    },
  });
  const many = Array.from({ length: 300 }, (_, n) => n);
  const structuredContent = Object.fromEntries(many.map((n) => [`row${n}`, property(n)]));
  const content = [...many.map((n) => text(`{ "n": ${n} }`)), text('{"n":300}')];

  const said = renderMcpResult({ content, structuredContent });

  expect(looks).toBeLessThan(20 * many.length);
  expect(said.startsWith('{"n":300}\n{"row0":{"n":0},')).toBe(true);
});

test('a text longer than the structured content is not parsed', () => {
  const long = JSON.stringify(Array.from({ length: 100 }, (_, n) => n));
  const parse = vi.spyOn(JSON, 'parse');

  const said = renderMcpResult({ content: [text(long)], structuredContent: { rows: 1, count: 2 } });
  const parsed = parse.mock.calls.map(([json]) => json);
  parse.mockRestore();

  expect(said).toBe(`${long}\n{"rows":1,"count":2}`);
  expect(parsed).not.toContain(long);
});
