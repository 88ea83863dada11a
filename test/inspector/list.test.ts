import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('the list of turns', (open) => {
  test('the list shows the status, title, figures and age of a turn, and refreshes', async ({ harness }) => {
    await harness.startTurn({ input: 'Say hello to Ada.' });
    await using inspector = await open(harness.url);
    const row = inspector.page.locator('a.row');

    await row.getByText('Queued').waitFor();
    await harness.workUntilIdle();
    await row.getByText('Completed').waitFor();

    expect(await row.innerText()).toMatch(
      /Completed\s+Say hello to Ada\.\s+openai\/test\s+1 round\s+[\d.]+ m?s\s+\d+ tokens\s+(now|\d+ s ago)/,
    );
    expect(inspector.problems).toEqual([]);
  });

  test('the list is filtered by status and by conversation', async ({ harness }) => {
    const { id, conversation_id } = await harness.startTurn({ input: 'First.' });
    await harness.startTurn({ input: 'Second.' });
    await harness.call('POST', `/v1/turns/${id}/cancel`);
    await using inspector = await open(harness.url);
    const titles = () => inspector.page.locator('a.row .title').allInnerTexts();

    await inspector.page.getByRole('link', { name: 'Cancelled', exact: true }).click();
    await waitUntil(async () => expect(await titles()).toEqual(['First.']));
    await inspector.page.getByRole('link', { name: 'All', exact: true }).click();
    await waitUntil(async () => expect(await titles()).toEqual(['Second.', 'First.']));
    await inspector.page.getByRole('searchbox').fill(conversation_id);
    await inspector.page.keyboard.press('Enter');
    await waitUntil(async () => expect(await titles()).toEqual(['First.']));

    expect(await inspector.page.getByRole('link', { name: 'All', exact: true }).getAttribute('aria-current')).toBe(
      'true',
    );
  });

  test('older turns are on the next page, and the newest are one step back', async ({ harness }) => {
    for (let number = 1; number <= 22; number += 1) await harness.startTurn({ input: `Turn ${number}.` });
    await using inspector = await open(harness.url);
    const titles = () => inspector.page.locator('a.row .title').allInnerTexts();

    await waitUntil(async () => expect(await titles()).toHaveLength(20));
    await inspector.page.getByRole('link', { name: 'Older' }).click();
    await waitUntil(async () => expect(await titles()).toEqual(['Turn 2.', 'Turn 1.']));
    await inspector.page.getByRole('link', { name: 'Newest' }).click();
    await waitUntil(async () => expect(await titles()).toHaveLength(20));

    expect(inspector.problems).toEqual([]);
  });

  test('the list is used by keyboard alone', async ({ harness }) => {
    await harness.startTurn({ input: 'First.' });
    await harness.startTurn({ input: 'Second.' });
    await using inspector = await open(harness.url);
    const { page } = inspector;
    await page.locator('a.row').first().waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First.' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Turns' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('turn_unknown');
    await page.keyboard.press('Enter');

    await page.getByRole('alert').getByText('Turn not found').waitFor();
  });

  test('the list without turns shows how to begin', async ({ harness }) => {
    await using inspector = await open(harness.url);

    await inspector.page.getByRole('link', { name: 'Start a turn' }).click();
    await inspector.page.getByLabel('Model', { exact: true }).fill('openai/test');
    await inspector.page.getByLabel('Input').fill('Say hello to Ada.');
    await inspector.page.getByLabel('weather_lookup').check();
    await inspector.page.keyboard.press('Control+Enter');
    await inspector.page.getByRole('heading', { name: 'Say hello to Ada.' }).waitFor();
    await harness.workUntilIdle();
    await inspector.page.getByRole('region', { name: 'Answer' }).getByText('sunny').waitFor();

    expect(inspector.problems).toEqual([]);
  });

  test('a failed turn shows why in its row, with the code', async ({ harness }) => {
    const fault = { kind: 'status' as const, status: 401 };
    await harness.startTurn({ input: scripted({ rounds: [], final: { fault } }) });
    await harness.startTurn({ input: scripted({ rounds: [], final: { finish_reason: 'length' } }) });
    await harness.workUntilIdle();
    await using inspector = await open(harness.url);
    const whys = () => inspector.page.locator('a.row .why').allInnerTexts();

    await waitUntil(async () =>
      expect(await whys()).toEqual([
        'max_output_tokens',
        expect.stringMatching(/^provider_authentication_failed \S.{10,}/),
      ]),
    );
  });

  test('consecutive equal failures are one row, which opens', async ({ harness }) => {
    const script = scripted({ rounds: [], final: { fault: { kind: 'status', status: 401 } } });
    for (const title of ['Alone.', 'Again.', 'Again.', 'Again.'])
      await harness.startTurn({ input: `${title}\n${script}` });
    await harness.workUntilIdle();
    await using inspector = await open(harness.url);
    const { page } = inspector;

    await page.locator('summary.row').getByText('×3').waitFor();
    const closed = await page.locator('a.row:visible .title').allInnerTexts();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const opened = await page.locator('a.row:visible .title').allInnerTexts();
    await harness.startTurn({ input: `Again.\n${script}` });
    await harness.workUntilIdle();
    await page.locator('details[open] > summary').getByText('×4').waitFor();

    expect(closed).toEqual(['Alone.']);
    expect(opened).toEqual(['Again.', 'Again.', 'Again.', 'Alone.']);
  });

  test('the compact list shows 20 rows on a laptop screen, and the browser remembers it', async ({ harness }) => {
    for (let number = 1; number <= 20; number += 1) await harness.startTurn({ input: `Turn ${number}.` });
    await using inspector = await open(harness.url);
    const { page } = inspector;
    const lowest = () =>
      page
        .locator('a.row')
        .last()
        .evaluate((row) => row.getBoundingClientRect().bottom);

    await page.getByRole('button', { name: 'Compact' }).click();
    await page.locator('a.row').last().waitFor();
    const compact = await lowest();
    await page.reload();
    await page.locator('a.row').last().waitFor();

    expect(compact).toBeLessThan(800);
    expect(await lowest()).toBe(compact);
    expect(await page.getByRole('button', { name: 'Compact' }).getAttribute('aria-pressed')).toBe('true');
  });

  test.each([
    ['?status=failed', 'No failed turns'],
    ['?status=requires_action', 'No turns that require action'],
    ['?conversation_id=CONVERSATION&status=cancelled', 'No cancelled turns in this conversation'],
  ])('an empty list of %s names its filters', async (query, words) => {
    await using harness = await createHarness();
    const { conversation_id } = await harness.startTurn({ input: 'Hi' });
    await using inspector = await open(`${harness.url}/#/turns${query.replace('CONVERSATION', conversation_id)}`);

    await inspector.page.getByRole('heading', { name: words, exact: true }).waitFor();
    await inspector.page.getByRole('link', { name: 'Show all turns' }).click();

    await inspector.page.locator('a.row').waitFor();
  });
});

browserSuite('the list of conversations', (open) => {
  test('the list of conversations shows the last input of each, with one request', async ({ harness }) => {
    const { conversation_id } = await harness.startTurn({ input: 'First.' });
    await harness.workUntilIdle();
    await harness.call('POST', `/v1/conversations/${conversation_id}/turns`, { body: { input: 'Second.' } });
    const empty = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model: 'openai/test' } });
    await using inspector = await open(`${harness.url}/docs`);
    const { page } = inspector;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));

    await page.goto(`${harness.url}/#/conversations`);
    await page.locator('a.row').first().waitFor();
    const rows = await page.locator('a.row').allInnerTexts();
    const paths = asked.filter((path) => path.startsWith('/v1/'));

    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^No turns\\s+${empty.body.id}\\s`)),
      expect.stringMatching(/^Queued\s+Second\.\s+openai\/test\s/),
    ]);
    expect(new Set(paths)).toEqual(new Set(['/v1/conversations']));
    expect(inspector.problems).toEqual([]);
  });

  test('a search finds conversations by the words of their turns', async ({ harness }) => {
    for (const input of ['Where is the parcel?', 'Where is the letter?']) await harness.startTurn({ input });
    await harness.workUntilIdle();
    await enterNow(harness);
    await using inspector = await open(`${harness.url}/#/conversations`);
    const { page } = inspector;
    const titles = () => page.locator('a.row .title').allInnerTexts();

    await page.getByRole('searchbox').fill('parcel');
    await page.keyboard.press('Enter');
    await waitUntil(async () => expect(await titles()).toEqual(['Where is the parcel?']));
    await page.getByRole('link', { name: 'Drop the filter: contains parcel' }).click();
    await waitUntil(async () => expect(await titles()).toHaveLength(2));

    expect(page.url()).toMatch(/#\/conversations$/);
    expect(inspector.problems).toEqual([]);
  });
});
