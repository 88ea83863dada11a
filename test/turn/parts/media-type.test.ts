import { expect, test } from 'vitest';
import { contradictsMediaType, pixelsOf } from '#core/turn/parts/media-type.ts';
import { MP3, PDF, PNG, pngOf, WAV } from '#test/api/blobs/samples.ts';

const bytesOf = (base64: string) => Buffer.from(base64, 'base64');
const jpeg = Buffer.from('ffd8ffe000040000ffc000110801000200', 'hex');
const gif = Buffer.from('4749463839610a000500', 'hex');
const webp = (kind: string, header: string) => {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF\x16\0\0\0WEBP', 'latin1');
  bytes.write(kind, 12, 'latin1');
  bytes.write(header, 20, 'hex');
  return bytes;
};
const samples: Record<string, Buffer> = {
  'image/png': bytesOf(PNG),
  'image/jpeg': jpeg,
  'image/gif': gif,
  'image/webp': webp('VP8X', ''),
  'application/pdf': bytesOf(PDF),
  'audio/wav': bytesOf(WAV),
  'audio/mp3': bytesOf(MP3),
};

test('bytes of one media type contradict every other recognizable type', () => {
  for (const [type, bytes] of Object.entries(samples)) {
    const fitting = Object.keys(samples).filter((said) => !contradictsMediaType(said, bytes));
    expect(fitting).toEqual([type]);
  }
});

test('an unknown media type is accepted, but an image cannot be another type', () => {
  const said = (type: string, bytes: string | Buffer) => contradictsMediaType(type, Buffer.from(bytes));

  expect([
    said('text/plain', 'Of %PDF-1.7 and ID3 tags'),
    said('application/zip', 'PK'),
    said('image/svg+xml', '<svg/>'),
  ]).toEqual([false, false, false]);
  expect([said('text/plain', jpeg), said('image/svg+xml', gif), said('image/png', '')]).toEqual([true, true, true]);
});

test('width and height are read from the header of each image type', () => {
  expect(pixelsOf('image/png', bytesOf(pngOf({ width: 640, height: 480 })))).toEqual({ width: 640, height: 480 });
  expect(pixelsOf('image/jpeg', jpeg)).toEqual({ width: 512, height: 256 });
  expect(pixelsOf('image/gif', gif)).toEqual({ width: 10, height: 5 });
  expect(pixelsOf('image/webp', webp('VP8X', '000000000f0000070000'))).toEqual({ width: 16, height: 8 });
  expect(pixelsOf('image/webp', webp('VP8 ', '0000009d012a20001000'))).toEqual({ width: 32, height: 16 });
  expect(pixelsOf('image/webp', webp('VP8L', '2f1fc00300'))).toEqual({ width: 32, height: 16 });
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']) {
    expect(pixelsOf(type, Buffer.from('short')), type).toBeNull();
  }
});
