import { partOf } from 'pawl/client';
import { expect, test } from 'vitest';

const bytes = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);
const base64 = Buffer.from(bytes).toString('base64');

test('bytes become a part of the kind of their media type', () => {
  expect(partOf(bytes, { mediaType: 'image/png', filename: 'a.png' })).toEqual({
    ...{ type: 'input_image', image_url: `data:image/png;base64,${base64}` },
  });
  expect(partOf(bytes, { mediaType: 'application/pdf', filename: 'a.pdf' })).toEqual({
    ...{ type: 'input_file', file_data: `data:application/pdf;base64,${base64}`, filename: 'a.pdf' },
  });
  for (const [mediaType, format] of [
    ['audio/mpeg', 'mp3'],
    ['audio/x-wav', 'wav'],
  ] as const) {
    expect(partOf(bytes, { mediaType })).toEqual({ type: 'input_audio', data: base64, format });
  }
});
