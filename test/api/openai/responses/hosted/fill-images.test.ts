import { expect, test } from 'vitest';
import type { Db } from '#core/checkpoint/tables.ts';
import { fillImages } from '#services/api/openai/responses/images/fill-images.ts';
import { makeRound, makeTurn } from '../../../../turn/make-turn.ts';

test('streams of a turn share a read of its images, and a failed read is not kept', async () => {
  const images = [{ url: `blob:${'a'.repeat(64)};image/png`, offset: 0 }];
  const turn = makeTurn({ rounds: [{ ...makeRound(1, null), hosted: { calls: [], annotations: [], images } }] });
  const closed = {} as Db;

  const first = fillImages(closed, turn);
  const second = fillImages(closed, turn);

  expect(second).toBe(first);
  await expect(first).rejects.toThrow();
  const third = fillImages(closed, turn);
  expect(third).not.toBe(first);
  await expect(third).rejects.toThrow();
});
