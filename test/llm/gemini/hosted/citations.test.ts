import fc from 'fast-check';
import { expect, test } from 'vitest';
import '#test/harness/parts/fix-seed.ts';
import { parts, read } from '#test/llm/gemini/reading.ts';

type Segment = { startIndex?: number; endIndex: number; partIndex?: number; text?: string };
const page = (name: string) => ({ web: { uri: `https://${name}`, title: name } });
const support = (segment: Segment, ...groundingChunkIndices: number[]) => ({ segment, groundingChunkIndices });
const grounded = (groundingChunks: object[], ...groundingSupports: object[]) => ({
  candidates: [{ finishReason: 'STOP', groundingMetadata: { groundingChunks, groundingSupports } }],
});

/** Returns the cited pieces of the text with their sources. */
function citedIn(...chunks: object[]): [string, string][] {
  const { text, hosted } = read(...chunks).reply;
  return (hosted?.annotations ?? []).map((each) => [
    (text ?? '').slice(each.start_index, each.end_index),
    each.type === 'url_citation' ? each.url : each.file_id,
  ]);
}

const bytes = (text: string) => Buffer.byteLength(text);

test('gemini: citations count characters, although Gemini counts bytes', () => {
  const said = 'Schön: 🎿 in Zürich 👨‍👩‍👧. Kühl – ja.';
  const start = bytes('Schön: 🎿 in Zürich 👨‍👩‍👧. ');
  const chunk = grounded([page('a.b'), page('c.d')], support({ startIndex: start, endIndex: bytes(said) }, 0, 1));

  const { hosted } = read(parts({ text: said.slice(0, 20) }), parts({ text: said.slice(20) }), chunk).reply;

  const place = { start_index: said.indexOf('Kühl'), end_index: said.length };
  expect(hosted?.annotations).toEqual([
    { type: 'url_citation', url: 'https://a.b', title: 'a.b', ...place },
    { type: 'url_citation', url: 'https://c.d', title: 'c.d', ...place },
  ]);
});

test('gemini: a citation never begins or ends within a character', () => {
  const places = [0, 1, 2, 3].flatMap((start) => [5, 6, 7, 8].map((end) => [start, end] as const));
  const supports = places.map(([startIndex, endIndex]) => support({ startIndex, endIndex }, 0));

  const cited = citedIn(parts({ text: '🌍🌊 a' }), grounded([page('a.b')], ...supports));

  expect(new Set(cited.map(([piece]) => piece))).toEqual(new Set(['🌍🌊', '🌊']));
});

test('gemini: a citation counts within the part that it names', () => {
  const code = { executableCode: { language: 'PYTHON', code: '1' } };
  const content = [parts({ text: '🌍 One. ' }), parts(code), parts({ text: '🌊 Tw' }), parts({ text: 'o. Three.' })];
  const start = bytes('🌊 ');

  expect(
    citedIn(
      ...content,
      grounded(
        [page('a.b')],
        support({ partIndex: 2, startIndex: start, endIndex: start + 4 }, 0),
        support({ startIndex: bytes('🌍 '), endIndex: bytes('🌍 One.') }, 0),
      ),
    ),
  ).toEqual([
    ['Two.', 'https://a.b'],
    ['One.', 'https://a.b'],
  ]);
});

test('gemini: a citation of any piece of any part has exactly that piece', () => {
  const someText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const someParts = fc.array(someText, { minLength: 1, maxLength: 4 });
  const somePlace = fc.record({ part: fc.nat(3), from: fc.nat(11), length: fc.integer({ min: 1, max: 12 }) });

  fc.assert(
    fc.property(someParts, somePlace, fc.boolean(), (texts, place, isNamed) => {
      const part = place.part % texts.length;
      const characters = [...texts[part]!];
      const from = place.from % characters.length;
      const piece = characters.slice(from, from + place.length).join('');
      const startIndex = bytes(characters.slice(0, from).join(''));
      const segment = {
        partIndex: part,
        startIndex,
        endIndex: startIndex + bytes(piece),
        ...(isNamed && { text: piece }),
      };
      const content = texts.map((text) => ({ text }));

      const cited = citedIn(parts(...content), grounded([page('a.b')], support(segment, 0)));

      expect(cited).toEqual([[piece, 'https://a.b']]);
    }),
  );
});

test('gemini: two text parts of one chunk are two parts for citations', () => {
  const content = parts({ text: 'One. ' }, { text: 'Twö. ' }, { text: 'Three.' });

  expect(citedIn(content, grounded([page('a.b')], support({ partIndex: 2, endIndex: 6 }, 0)))).toEqual([
    ['Three.', 'https://a.b'],
  ]);
});

test('gemini: the text of a segment decides if servers count parts in other ways', () => {
  const content = [parts({ text: 'Hm.', thought: true }), parts({ text: '🌍 One. ' }, { text: 'Two.' })];
  const cited = (segment: Segment) => citedIn(...content, grounded([page('a.b')], support(segment, 0)));

  expect(cited({ partIndex: 1, startIndex: 5, endIndex: 9, text: 'One.' })).toEqual([['One.', 'https://a.b']]);
  expect(cited({ partIndex: 0, startIndex: 5, endIndex: 9, text: 'One.' })).toEqual([['One.', 'https://a.b']]);
  expect(cited({ partIndex: 1, endIndex: 4, text: 'Two.' })).toEqual([['Two.', 'https://a.b']]);
  expect(cited({ startIndex: 10, endIndex: 14, text: 'Two.' })).toEqual([['Two.', 'https://a.b']]);
});

test('gemini: a citation outside the text, of no text or of no source is left out', () => {
  const segments = [
    support({ startIndex: 2, endIndex: 40 }, 0),
    support({ startIndex: 30, endIndex: 40 }, 0),
    support({ startIndex: 2, endIndex: 2 }, 0),
    support({ startIndex: 3, endIndex: 1 }, 0),
    support({ partIndex: 9, endIndex: 99 }, 0),
    support({ endIndex: 3 }, 7),
  ];

  expect(citedIn(parts({ text: 'Söme' }), grounded([page('a.b')], ...segments))).toEqual([]);
  expect(citedIn(parts({ text: 'Söme' }), grounded([page('a.b')], support({ endIndex: 5 }, 0)))).toEqual([
    ['Söme', 'https://a.b'],
  ]);
});

test('gemini: metadata that chunks repeat or extend is merged without duplicates', () => {
  const one = support({ endIndex: 4 }, 0);
  const two = support({ startIndex: 5, endIndex: 9 }, 1);
  const during = (groundingMetadata: object) => ({ candidates: [{ groundingMetadata }] });

  const cited = citedIn(
    parts({ text: 'One. Two.' }),
    during({}),
    during({ groundingChunks: [page('a.b')], groundingSupports: [one] }),
    during({ groundingChunks: [page('a.b'), page('c.d')], groundingSupports: [one, two] }),
    grounded([], two),
  );

  expect(cited).toEqual([
    ['One.', 'https://a.b'],
    ['Two.', 'https://c.d'],
  ]);
});

test.each([
  ['number', 'a.b', 10_001, 'more than 10,000 citations in one reply'],
  ['size', 'a'.repeat(1_000_000), 9, 'more than 8 MiB of citations'],
])('gemini: the %s of citations is bounded, although each index repeats its source', (_, name, count, reason) => {
  const indices = Array.from({ length: count }, () => 0);
  const chunk = grounded([page(name)], support({ endIndex: 2 }, ...indices));

  expect(() => read(parts({ text: 'Hi' }), chunk)).toThrow(reason);
});

test('gemini: documents of a file search are file citations of one file search call', () => {
  const store = 'fileSearchStores/s';
  const documents = [
    { retrievedContext: { title: 'plan.pdf', text: 'The plan.', fileSearchStore: store } },
    { retrievedContext: { title: 'Plan', documentName: 'projects/p/documents/d' } },
    { retrievedContext: { title: 'Page', uri: 'https://a.b/page' } },
  ];

  const { hosted } = read(parts({ text: 'Yes.' }), grounded(documents, support({ endIndex: 4 }, 0, 1, 2))).reply;

  const place = { start_index: 0, end_index: 4 };
  expect(hosted?.annotations).toEqual([
    { type: 'file_citation', file_id: 'plan.pdf', title: 'plan.pdf', ...place },
    { type: 'file_citation', file_id: 'projects/p/documents/d', title: 'Plan', ...place },
    { type: 'url_citation', url: 'https://a.b/page', title: 'Page', ...place },
  ]);
  expect(hosted?.calls).toMatchObject([{ id: 'file_search_1', type: 'file_search', status: 'completed', input: null }]);
});

test('gemini: places of a map are cited, and are not a search of the web', () => {
  const place = { maps: { uri: 'https://maps.example/p', title: 'A café' } };

  const { hosted } = read(parts({ text: 'There.' }), grounded([place], support({ endIndex: 6 }, 0))).reply;

  expect(hosted).toMatchObject({ calls: [], annotations: [{ url: 'https://maps.example/p', title: 'A café' }] });
});
