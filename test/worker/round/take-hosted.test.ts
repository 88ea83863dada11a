import { expect, test } from 'vitest';
import type { Hosted } from '#core/turn/hosted/hosted.ts';
import { takeHosted } from '#services/worker/round/take-hosted.ts';
import { PNG } from '#test/api/blobs/samples.ts';

const hosted = (own: Partial<Hosted>): Hosted => ({ calls: [], annotations: [], images: [], ...own });
const png = { url: `data:image/png;base64,${PNG}`, offset: 1 };

test('a reply without hosted calls, citations and images has no field for them', () => {
  expect(takeHosted({ text: 'Hi' })).toEqual({ fields: {}, blobs: [], warnings: [] });
});

test('an image becomes a blob, and other data is left out with a warning', () => {
  const html = { url: `data:image/html;base64,${Buffer.from('<p>').toString('base64')}`, offset: 2 };
  const broken = { url: 'data:image/png;base64,AAAA', offset: 3 };

  const { fields, blobs, warnings } = takeHosted({ text: 'Hi', hosted: hosted({ images: [html, png, broken] }) });

  expect(fields.hosted?.images).toEqual([{ url: expect.stringMatching(/^blob:[0-9a-f]{64};image\/png$/), offset: 1 }]);
  expect(blobs).toMatchObject([{ mediaType: 'image/png', bytes: Buffer.from(PNG, 'base64') }]);
  expect(warnings).toEqual(['The model made an image that cannot be stored, so it is left out']);
});

test('citations outside the text and characters that PostgreSQL refuses are removed', () => {
  const cite = (end_index: number) => ({
    type: 'url_citation' as const,
    url: 'https://a\u0000',
    start_index: 0,
    end_index,
  });

  const { fields } = takeHosted({ text: 'Hi', hosted: hosted({ annotations: [cite(2), cite(3)] }) });

  expect(fields.hosted?.annotations).toEqual([{ ...cite(2), url: 'https://a\uFFFD' }]);
});
