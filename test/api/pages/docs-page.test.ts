import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from '#test/inspector/browser-suite.ts';
import { document, operations } from '../openapi/document.ts';

const EVIL = '<img src=x onerror="window.wasRun = 1"><b>bold</b>';
const named = [...operations.map(({ operationId }) => operationId), ...Object.keys(document.webhooks)];

browserSuite('the reference', (open) => {
  test('every operation and webhook is on the page and opens with its full description', async ({ harness }) => {
    await using reader = await open(`${harness.url}/docs`);
    const { page, problems } = reader;
    await page.locator('.operation').first().waitFor();

    const shown = await page.locator('.operation').evaluateAll((all) => all.map(({ id }) => id));
    const [first, ...others] = await page.locator('.operation > summary').all();
    await first?.click();
    // A pointer waits for two frames of a page that grows with each operation. A key does not wait.
    for (const summary of others) await summary.press('Enter');
    const texts = await page.locator('.operation').allInnerTexts();

    expect(new Set(shown)).toEqual(new Set(named));
    for (const { summary, parameters = [], responses } of operations) {
      const expected = [summary, ...parameters.map(({ name }) => name), ...Object.keys(responses)];
      const text = texts.find((one) => one.includes(summary.replaceAll('`', '')));
      expect
        .soft(
          expected.filter((part) => !text?.includes(part.replaceAll('`', ''))),
          summary,
        )
        .toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  test('an operation can be found, opened, unfolded and copied with the keyboard', async ({ harness }) => {
    await using reader = await open(`${harness.url}/docs`);
    const { page, problems } = reader;
    await page.locator('.operation').first().waitFor();

    const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
    await page.keyboard.press('/');
    await page.keyboard.type('startTurn');
    await waitUntil(async () => expect(await links.count()).toBe(1));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#startTurn').getByText('on_active_turn', { exact: true }).first().waitFor();
    await page.locator('#startTurn summary', { hasText: 'Fields' }).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#startTurn summary', { hasText: 'Tool' }).first().waitFor();
    await page.locator('#startTurn').getByRole('button', { name: 'Copy the command' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied.').waitFor();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);

    expect(JSON.parse(stdout)).toMatchObject({ object: 'turn', status: 'queued', model: 'sim/demo' });
    expect(problems).toEqual([]);
  });

  test('a response stream is shown with its command and its events', async ({ harness }) => {
    await using reader = await open(`${harness.url}/docs#createResponse`);
    const { page, problems } = reader;

    for (const [id, command] of [
      ['createResponse', /curl -sN -X POST '[^']+\/v1\/responses'.+"stream": true/s],
      ['retrieveResponse', /curl -sN '[^']+\/v1\/responses\/resp_\w+\?stream=true'/],
    ] as const) {
      await page.goto(`${harness.url}/docs#${id}`);
      await page.locator(`#${id} section`).first().waitFor();
      await page.locator(`#${id} summary`, { hasText: /^200/ }).click();
      await page.locator(`#${id}`).getByText('ResponseStreamEvent').first().waitFor();
      const text = await page.locator(`#${id}`).innerText();
      expect.soft(text).toMatch(command);
      expect.soft(text).not.toContain('accept: text/event-stream');
    }
    expect(problems).toEqual([]);
  });

  test('markup in a description is shown as text and does not run', async ({ harness }) => {
    await using reader = await open(`${harness.url}/healthz`);
    const { page } = reader;
    const evil = structuredClone(document);
    evil.paths['/v1/turns']!.post!.summary = EVIL;
    evil.paths['/v1/turns']!.post!.description = EVIL;
    await page.route('**/openapi.json', (route) => route.fulfill({ json: evil }));

    await page.goto(`${harness.url}/docs#startTurn`);
    await page.locator('#startTurn section').first().waitFor();

    expect(await page.locator('#startTurn > summary').innerText()).toContain(EVIL);
    expect(await page.locator('main :is(img, b)').count()).toBe(0);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
  });

  test.each([
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { width: 360 }],
  ])('the page fits the width of the screen: %s', async (_, reader) => {
    await using harness = await createHarness();
    await using opened = await open(`${harness.url}/docs#readEvents`, reader);
    const { page } = opened;
    await page.locator('#readEvents section').first().waitFor();

    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    await page.locator('#startTurn section').first().waitFor();
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    await page.locator('#startTurn .fields .fields').first().waitFor();

    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  });
});
