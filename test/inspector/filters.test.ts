import { expect } from 'vitest';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';

const failing = (status: number) => scripted({ rounds: [], final: { fault: { kind: 'status', status } } });

browserSuite('the filters of the list', (open) => {
  test('an address names any filters, and the list shows how to remove each', async ({ harness }) => {
    await harness.startTurn({ input: failing(401), metadata: { customer: '17' } });
    await harness.startTurn({ input: failing(403), metadata: { customer: '17' } });
    await harness.startTurn({ input: 'Other.', metadata: { customer: '18' } });
    await harness.workUntilIdle();
    await enterNow(harness);
    const query = 'status=failed,cancelled&error_code=provider_authentication_failed&metadata[customer]=17';
    await using inspector = await open(`${harness.url}/#/turns?${query}`);
    const { page } = inspector;
    const codes = () => page.locator('a.row .why code').allInnerTexts();

    await waitUntil(async () => expect(await codes()).toEqual(['provider_authentication_failed']));
    const chips = await page.getByRole('list', { name: 'Filters' }).getByRole('listitem').allInnerTexts();
    await page.getByRole('link', { name: 'Drop the filter: error code provider_authentication_failed' }).click();
    await waitUntil(async () => expect(await codes()).toHaveLength(2));

    expect(chips.map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'error code provider_authentication_failed ×',
      'customer is 17 ×',
    ]);
    expect(page.url()).toContain('#/turns?status=failed,cancelled&metadata[customer]=17');
    expect(inspector.problems).toEqual([]);
  });

  test('statuses are chosen together, and show the number of turns', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'First.' });
    await harness.call('POST', `/v1/turns/${id}/cancel`);
    for (const input of ['Second.', 'Third.']) await harness.startTurn({ input });
    await using inspector = await open(harness.url);
    const { page } = inspector;
    const titles = () => page.locator('a.row .title').allInnerTexts();
    const count = (status: string) => page.locator(`[data-status=${status}]`).innerText();

    await waitUntil(async () => expect(await count('queued')).toBe('2'));
    await page.getByRole('link', { name: 'Cancelled', exact: true }).click();
    await waitUntil(async () => expect(await titles()).toEqual(['First.']));
    await page.getByRole('link', { name: 'Queued', exact: true }).click();
    await waitUntil(async () => expect(await titles()).toEqual(['Third.', 'Second.', 'First.']));
    await page.getByRole('link', { name: 'Cancelled', exact: true }).click();
    await waitUntil(async () => expect(await titles()).toEqual(['Third.', 'Second.']));

    expect([await count('cancelled'), await count('failed')]).toEqual(['1', '']);
    expect(page.url()).toMatch(/\?status=queued$/);
  });

  test('words are searched for, and the form adds the filters of the address', async ({ harness }) => {
    await harness.startTurn({ input: 'Where is the parcel?', metadata: { customer: '17' } });
    await harness.startTurn({ input: 'Where is the letter?' });
    await harness.workUntilIdle();
    await enterNow(harness);
    await using inspector = await open(harness.url);
    const { page } = inspector;
    const titles = () => page.locator('a.row .title').allInnerTexts();

    await page.getByRole('searchbox').fill('parcel');
    await page.keyboard.press('Enter');
    await waitUntil(async () => expect(await titles()).toEqual(['Where is the parcel?']));
    await page.getByText('Filter', { exact: true }).click();
    await page.getByLabel('Model').fill('openai/other');
    await page.getByLabel('Created from').fill('2026-01-02T10:00');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No turns that match' }).waitFor();

    expect(page.url()).toMatch(/#\/turns\?q=parcel&model=openai%2Fother&created_after=2026-01-02T\d\d:00:00\.000Z$/);
    expect(inspector.problems).toEqual([]);
  });

  test('the turns of a list are cancelled together, after a question with their number', async ({ harness }) => {
    for (const input of ['First.', 'Second.']) await harness.startTurn({ input });
    await using inspector = await open(`${harness.url}/#/turns?status=queued`);
    const { page } = inspector;

    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.getByRole('heading', { name: 'Cancel 2 turns?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel 2' }).click();
    await page.getByText('The work continues if you close this dialog').waitFor();
    await harness.workBulks();
    await page.getByRole('heading', { name: '2 of 2 cancelled' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'No queued turns' }).waitFor();

    const { body } = await harness.call<{ data: { status: string }[] }>('GET', '/v1/turns');
    expect(body.data.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(inspector.problems).toEqual([]);
  });
});
