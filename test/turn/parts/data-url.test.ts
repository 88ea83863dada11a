import { expect, test } from 'vitest';
import { readDataUrl } from '#core/turn/parts/data-url.ts';

const base64Of = (data: string) => readDataUrl(`data:image/png;base64,${data}`)?.base64 ?? null;

test.each([
  ['with padding', 'QQ==', 'QQ=='],
  ['without padding', 'QUI', 'QUI'],
  ['of whole groups', 'QUJD', 'QUJD'],
  ['with line breaks', 'QU\r\nJD', 'QUJD'],
  ['with percent signs', 'QQ%3D%3D', 'QQ=='],
  ['in the alphabet of URLs', '-_-_', '+/+/'],
])('reads base64 %s', (_, given, read) => {
  expect(base64Of(given)).toBe(read);
});

test.each([
  ['nothing', ''],
  ['padding without digits', '=='],
  ['a single digit at the end', 'QUJDQ'],
  ['too little padding', 'QQ='],
  ['padding in the middle', 'Q=I='],
  ['a letter outside the alphabet', 'QUJé'],
  ['a character whose code ends like that of a digit', 'QUJ\u4e41'],
])('refuses %s', (_, given) => {
  expect(base64Of(given)).toBeNull();
});

test('reads an image of 16 MiB, and refuses it with a wrong last character', () => {
  const large = Buffer.alloc(16 * 1024 * 1024 - 1, 1).toString('base64');

  expect(base64Of(large)).toHaveLength(large.length);
  expect(base64Of(`${large.slice(0, -1)}!`)).toBeNull();
});
