import { expect } from 'vitest';
import { titleOf } from '#inspector/base/words.ts';
import { shorten, ticksOf } from '#inspector/timeline/axis.ts';
import { workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

test.each([
  ['How warm is it?\n{"unit":"C"}', 'How warm is it?'],
  ['```js\nlet a;\n```\nExplain this.', 'Explain this.'],
  ['{"order":7,"items":[]}', 'JSON: order, items'],
  ['[1, 2]', 'JSON list'],
  ['#!/bin/sh\necho 1', 'Script'],
  ['[1] is a footnote', '[1] is a footnote'],
])('the title of a turn with the input %j is %j', (content, title) => {
  expect(titleOf({ input: [{ role: 'user', content }] })).toBe(title);
});

test('pauses longer than all other time together take half of the axis', () => {
  const place = shorten([{ from: 1_000, to: 11_000 }], 12_000);

  expect([0, 1_000, 6_000, 11_000, 12_000].map(place)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  expect(ticksOf(12_000, place).map(Math.round)).toEqual([0, 1_000, 6_000, 11_000]);
});

test('shorter pauses are drawn in their length', () => {
  const place = shorten([{ from: 1_000, to: 2_000 }], 4_000);

  expect(place(4_000)).toBe(4_000);
});

browserSuite('a turn’s page before and after its turn is read', (open) => {
  test('a page shows a skeleton while it loads its turn, and the sentence of a refusal', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'Hi' });
    await using inspector = await open(harness.url, { width: 360 });
    const { page } = inspector;
    const refusal = Promise.withResolvers<void>();
    await page.route('**/events?*', () => {});
    await page.route(`**/v1/turns/${id}/rounds`, async (route) => {
      await refusal.promise;
      await route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'The database is away.' } } });
    });

    await page.goto(`${harness.url}/#/turns/${id}`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    refusal.resolve();
    const alert = page.getByRole('alert');
    await alert.getByText('The database is away.').waitFor();
    await page.unroute(`**/v1/turns/${id}/rounds`);
    await alert.getByRole('button', { name: 'Try again' }).click();

    await page.getByRole('heading', { name: 'Queued' }).waitFor();
    expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  });

  test('equal failed attempts are an entry that opens to each attempt', async ({ harness }) => {
    const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 5 };
    const { id } = await harness.startTurn({ input: scripted({ rounds: [], answer: 'At last.', final: { fault } }) });
    await workUntilEnded(harness, id);
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    const [, folded = ''] = await page.locator('.timeline h3').allInnerTexts();
    const entry = page.locator('.entry.bad').first();

    const meta = await entry.locator('.meta').innerText();
    await entry.getByText('Show each attempt').click();
    await entry.locator('.entry').first().waitFor();

    expect(folded).toMatch(/^[3-5] attempts at round 1 failed$/);
    expect(await entry.locator('.entry').count()).toBe(Number(folded[0]));
    expect(meta).toMatch(/^each after 3\d s$/);
    expect(problems).toEqual([]);
  });
});
