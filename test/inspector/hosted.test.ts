import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Hosted, HostedCall } from '#core/turn/hosted/hosted.ts';
import { addHosted } from '#test/harness/add-hosted.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openLiveProxy } from '#test/harness/servers/live-proxy.ts';
import { test, testWith } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const EVIL = '<img src=x onerror="window.wasRun = 1">';

const answer = 'It is warm. Here is a picture. Enjoy it.';
const asked = scripted({ answer });
const place = { start_index: 0, end_index: 11 };
const at = { output: null, error: null, offset: 0 };
const search: HostedCall = {
  ...{ ...at, id: 'ws_1', type: 'web_search', status: 'completed' },
  ...{ input: { type: 'search', query: `weather ${EVIL}` }, output: `[{"title":"Lisbon ${'x'.repeat(200)}"}]` },
};
const code: HostedCall = {
  ...{ ...at, id: 'ce_1', type: 'code_execution', status: 'failed', input: { code: 'print(1)' } },
  error: `The code stopped. ${EVIL}`,
};
const hosted: Hosted = {
  calls: [search, code],
  annotations: [
    { type: 'url_citation', url: 'https://lisbon.example/now?a=1', title: EVIL, ...place },
    { type: 'url_citation', url: 'https://lisbon.example/now?a=1', title: 'Again', ...place },
    { type: 'url_citation', url: `https://bare.example/${'long'.repeat(60)}`, ...place },
    { type: 'url_citation', url: 'javascript:window.wasRun = 1', title: 'Do not click', ...place },
    { type: 'url_citation', url: 'data:text/html,x', ...place },
    { type: 'file_citation', file_id: 'file_1', title: 'notes.txt', ...place },
  ],
  images: [{ url: `data:image/png;base64,${PIXEL}`, offset: answer.indexOf(' Enjoy') }],
};
const linkedSources = [
  { words: EVIL, href: 'https://lisbon.example/now?a=1', rel: 'noopener noreferrer', target: '_blank' },
  {
    ...{ words: 'bare.example', href: `https://bare.example/${'long'.repeat(60)}` },
    ...{ rel: 'noopener noreferrer', target: '_blank' },
  },
];
const allSources = [EVIL, 'bare.example', 'Do not click', 'data:text/html,x', 'notes.txt'];

const testResponses = testWith({ env: { OPENAI_WIRE: 'responses' } });

/** Returns the links of a list of sources, and the words of all sources. */
async function readSources(page: Page) {
  const sources = page.getByRole('navigation', { name: 'Sources' }).first();
  await sources.waitFor();
  const links = await sources.locator('a').evaluateAll((all) =>
    all.map((link) => ({
      words: link.textContent,
      ...Object.fromEntries(['href', 'rel', 'target'].map((name) => [name, link.getAttribute(name)])),
    })),
  );
  return { links, words: await sources.getByRole('listitem').allInnerTexts() };
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

browserSuite('hosted tools on the page', (open) => {
  test.each([1280, 360])('the turn has hosted calls, images and sources, %i pixels wide', async (width) => {
    await using harness = await createHarness();
    addHosted(harness, hosted);
    const { id } = await harness.runTurn({ input: asked });

    await using inspector = await open(`${harness.url}/#/turns/${id}`, { width });
    const { page, problems } = inspector;
    const shown = page.getByRole('region', { name: 'Answer' });
    const image = shown.getByRole('img', { name: 'Image by the model' });
    await image.scrollIntoViewIfNeeded();
    const { links, words } = await readSources(page);
    await page.getByText('web_search, code_execution').waitFor();
    const round = page.locator('.entry', { has: page.getByRole('heading', { name: 'Round 1' }) });
    const calls = round.locator('.call');
    for (const summary of await calls.locator('summary').all()) await summary.click();
    await page.evaluate(axe);

    const texts = await shown.locator('.markdown, img').evaluateAll((all) => all.map((each) => each.textContent));
    expect(texts).toEqual(['It is warm. Here is a picture.', '', 'Enjoy it.']);
    expect(await image.evaluate((element) => Reflect.get(element, 'naturalWidth'))).toBe(1);
    expect({ links, words }).toEqual({ links: linkedSources, words: allSources });
    expect(await calls.locator('summary b').allInnerTexts()).toEqual(['web_search', 'code_execution']);
    expect(await calls.locator('.brief').allInnerTexts()).toEqual([`weather ${EVIL}`, 'print(1)']);
    expect(await calls.locator('.badge').allInnerTexts()).toEqual(['Completed', 'Failed']);
    expect(await calls.getByText('run by the provider').count()).toBe(2);
    expect(await calls.locator('.why').allInnerTexts()).toEqual([code.error]);
    expect(await round.getByRole('region', { name: 'Input of web_search' }).innerText()).toContain('"query"');
    expect(await round.getByRole('region', { name: 'Output of web_search' }).innerText()).toContain('"title"');
    expect(await round.locator('img').count()).toBe(0);
    expect(await round.getByRole('region', { name: 'Output of code_execution' }).count()).toBe(0);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id }) => id))`)).toEqual([]);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('a conversation shows hosted calls in a fold, and sources below the answer', async ({ harness }) => {
    addHosted(harness, hosted);
    const { conversation_id: id } = await harness.runTurn({ input: asked });

    await using inspector = await open(`${harness.url}/#/conversations/${id}`, { width: 360 });
    const { page, problems } = inspector;
    const { links, words } = await readSources(page);
    await page.getByText('web_search, code_execution').click();
    await page.locator('.call summary').first().click();

    expect({ links, words }).toEqual({ links: linkedSources, words: allSources });
    await page.getByRole('region', { name: 'Input of web_search' }).waitFor();
    await page.getByRole('article', { name: 'Answer' }).getByRole('img', { name: 'Image by the model' }).waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });

  test('hosted calls and sources of a round with tool calls are in its fold', async ({ harness }) => {
    addHosted(harness, { calls: [search], annotations: [{ ...place, type: 'file_citation', file_id: 'file_1' }] });
    const tools = [{ name: 'weather_lookup', arguments: { city: 'Rome' } }];
    const input = scripted({ rounds: [{ say: 'Let me look it up.', tools }], answer: 'It is sunny, then.' });
    const { conversation_id: id } = await harness.runTurn({ input, tools: ['weather_lookup'] });

    await using inspector = await open(`${harness.url}/#/conversations/${id}`);
    const { page } = inspector;
    await page.getByText('web_search, weather_lookup').click();

    const fold = page.locator('details.work[open]');
    expect(await fold.locator('.call b').allInnerTexts()).toEqual(['web_search', 'weather_lookup']);
    expect(await fold.getByRole('navigation', { name: 'Sources' }).innerText()).toBe('file_1');
  });

  test('hosted calls appear while the round runs, and its commit replaces them', async ({ harness }) => {
    addHosted(harness, { calls: [search] });
    const held = harness.holdModel();
    const { id, conversation_id } = await harness.startTurn({ input: asked });
    await using _worker = await startBackgroundWorker(harness);
    await using proxy = await openLiveProxy(harness.url, [
      { type: 'hosted_call.started', hosted_call: { ...search, status: 'in_progress', output: null } },
      { type: 'hosted_call.completed', hosted_call: { ...code, input: null } },
      { type: 'hosted_call.started', hosted_call: { ...code, status: 'in_progress', error: null } },
    ]);

    await using inspector = await open(`${proxy.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await using thread = await open(`${proxy.url}/#/conversations/${conversation_id}`);
    const round = page.locator('.entry.now', { has: page.getByRole('heading', { name: 'Round 1' }) });
    await round.getByText('web_search').waitFor();
    const running = await round.locator('.badge').allInnerTexts();
    await thread.page.locator('.reply .call').getByText('web_search').waitFor();
    held.open();
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    await thread.page.getByRole('article', { name: 'Answer' }).waitFor();

    expect(running).toEqual(['In progress', 'Failed']);
    expect(await page.locator('.entry .call .badge').allInnerTexts()).toEqual(['Completed']);
    expect(problems).toEqual([]);
  });

  testResponses('the form of a new turn offers hosted tools, and keeps their options', async ({ harness }) => {
    const options = { vector_store_ids: ['vs_1'] };
    const tools = ['note_visit', { type: 'file_search', options }];
    const { id } = await harness.startTurn({ input: 'Hi', tools });

    await using inspector = await open(`${harness.url}/#/new?from=${id}`);
    const { page, problems } = inspector;
    await page.getByLabel('web_search (run by the provider)').check();
    const isChecked = await page.getByLabel('file_search (run by the provider)').isChecked();
    await page.getByRole('button', { name: 'Start turn' }).click();
    await page.waitForURL(/#\/turns\/turn_/);
    await page.getByText('Settings of the turn').click();
    await page.locator('.fold').getByText('Run by the provider').first().waitFor();

    const { body } = await harness.call('GET', `/v1/turns/${page.url().split('/').at(-1)}?include=config`);
    expect(isChecked).toBe(true);
    expect(body).toMatchObject({
      config: { tools: [{ name: 'note_visit' }, { type: 'file_search', options }, { type: 'web_search' }] },
    });
    expect(problems).toEqual([]);
  });
});
