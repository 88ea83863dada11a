import { expect, test } from 'vitest';
import {
  type Annotation,
  annotationsWithin,
  countHostedCalls,
  outputPartsOf,
  storedCall,
} from '#core/turn/hosted/hosted.ts';

const cite = (start_index: number, end_index: number): Annotation => ({
  ...{ type: 'url_citation', url: 'https://one.example', start_index, end_index },
});
const blob = (letter: string) => `blob:${letter.repeat(64)};image/png`;

test('citations outside the text are left out', () => {
  const outside = [cite(-1, 2), cite(2, 1), cite(0, 6), cite(9, 12)];

  expect(annotationsWithin([cite(0, 5), ...outside, cite(5, 5)], 'Hello')).toEqual([cite(0, 5), cite(5, 5)]);
});

test('a text without images has no parts', () => {
  expect(outputPartsOf('Hello', null)).toBeNull();
  expect(outputPartsOf('Hello', { annotations: [cite(0, 5)], images: [] })).toBeNull();
});

test('parts are the text and the images in order, with citations of their part', () => {
  const images = [
    { url: blob('a'), offset: 0 },
    { url: blob('b'), offset: 6 },
    { url: blob('c'), offset: 99 },
  ];
  const annotations = [cite(0, 5), cite(6, 11), cite(4, 8)];

  expect(outputPartsOf('Hello world', { annotations, images })).toEqual([
    { type: 'output_image', image_url: `/v1/blobs/${'a'.repeat(64)}` },
    { type: 'output_text', text: 'Hello ', annotations: [cite(0, 5)] },
    { type: 'output_image', image_url: `/v1/blobs/${'b'.repeat(64)}` },
    { type: 'output_text', text: 'world', annotations: [cite(0, 5)] },
    { type: 'output_image', image_url: `/v1/blobs/${'c'.repeat(64)}` },
  ]);
});

test('an image without a text is the only part', () => {
  expect(outputPartsOf(null, { annotations: [], images: [{ url: blob('a'), offset: 0 }] })).toEqual([
    { type: 'output_image', image_url: `/v1/blobs/${'a'.repeat(64)}` },
  ]);
});

test('an output is cut to 64 KiB, at a character', () => {
  const long = `a${'é'.repeat(40_000)}`;

  expect(storedCall({ output: 'short' })).toEqual({ output: 'short' });
  expect(storedCall({ output: null })).toEqual({ output: null });
  expect(storedCall({ output: long })).toEqual({ output: `a${'é'.repeat(32_767)}` });
});

test('texts and names of fields have no NUL and no half of a surrogate pair', () => {
  const input = { 'a\u0000': ['b\u0000', { '\ud83d': '\ud83d' }], c: null };

  expect(storedCall({ output: null, input })).toEqual({
    output: null,
    input: { 'a\ufffd': ['b\ufffd', { '\ufffd': '\ufffd' }], c: null },
  });
});

test('calls are counted by kind', () => {
  expect(countHostedCalls([])).toBeUndefined();
  expect(countHostedCalls([{ type: 'web_search' }, { type: 'code_execution' }, { type: 'web_search' }])).toEqual({
    ...{ web_search: 2, code_execution: 1 },
  });
});
