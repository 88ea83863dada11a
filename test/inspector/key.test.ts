import { expect } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

const KEY = 'key-of-alpha';

const test = testWith({ env: { PAWL_API_KEYS: `alpha:${KEY}` } });

browserSuite('the page with configured keys', (open) => {
  test('the page asks for a key, reports a wrong key, and follows a turn with a key', async ({ harness }) => {
    const { id } = await apiClient(harness.url, KEY).startTurn({
      input: scripted({ rounds: [], answer: 'Hello, alpha.' }),
    });
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page } = inspector;

    await page.getByLabel('Key', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('That key was not accepted.').waitFor();
    await page.getByLabel('Key', { exact: true }).fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Queued').waitFor();
    await harness.workUntilIdle();
    await page.getByRole('region', { name: 'Answer' }).getByText('Hello, alpha.').waitFor();

    expect(await page.evaluate('[document.cookie, localStorage.length]')).toEqual(['', 0]);
    expect(await page.locator('dialog').count()).toBe(0);
  });

  test('commands to copy name the key and never contain it', async ({ harness }) => {
    const { id } = await apiClient(harness.url, KEY).startTurn({ input: "It's me." });
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page } = inspector;
    await page.getByLabel('Key', { exact: true }).fill(KEY);
    await page.keyboard.press('Enter');

    await page.getByText('Copy as curl').click();
    await page.getByRole('button', { name: 'Copy: Start it again' }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');

    expect(command).toContain(`curl -s '${harness.url}/v1/turns'`);
    expect(command).toContain('-H "Authorization: Bearer $PAWL_API_KEY"');
    expect(command).toContain(`"input": "It'\\''s me."`);
    expect(await page.content()).not.toContain(KEY);
  });

  test('a person without a key sees why the page is empty, and may try again', async ({ harness }) => {
    await using inspector = await open(harness.url);
    const { page } = inspector;

    await page.getByLabel('Key', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('Send a valid key').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByLabel('Key', { exact: true }).waitFor();
  });
});
