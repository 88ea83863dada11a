import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { browserSuite, type Reader } from './browser-suite.ts';

const LOOKS: [string, Reader][] = [
  ['light', {}],
  ['dark', { dark: true }],
  ['phone', { width: 360 }],
];

const city = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch';
const calls = [
  { name: 'weather_lookup', arguments: { city: 'Tokyo' } },
  { name: 'note_visit', arguments: { city } },
];
const script = scripted({
  rounds: [{ say: `Let me look at ${city}.`, tools: calls }],
  answer: 'It is warm and sunny.',
  final: { fault: { kind: 'cut', after_chars: 3, times: 1 } },
});

/** Creates an agent with two versions and two labels. */
async function createAgent(harness: Harness): Promise<void> {
  const config = { model: 'openai/test', instructions: `You live in ${city}.\nBe brief.`, tools: ['weather_lookup'] };
  await harness.call('POST', '/v1/agents', { body: { name: 'support', ...config } });
  const changes = { instructions: `You live in ${city}.\nBe polite.`, tools: [], temperature: 0 };
  await harness.call('PATCH', '/v1/agents/support', { body: changes });
  await harness.call('PUT', '/v1/agents/support/labels/production', { body: { version: 1 } });
  await harness.call('PUT', '/v1/agents/support/labels/canary', { body: { versions: { 1: 90, 2: 10 } } });
}

async function startTurns(harness: Harness): Promise<string> {
  await harness.startTurn({ input: 'Say hello to Ada.' });
  await harness.startTurn({
    input: 'Ask me first.',
    tools: [{ name: 'read_clipboard', description: 'Reads the clipboard' }],
  });
  const { id } = await harness.startTurn({
    input: `How is the weather in ${city}?\n${script}`,
    tools: ['weather_lookup', 'note_visit'],
  });
  await harness.workUntilIdle();
  await harness.advance(60_000);
  await harness.rescue();
  await harness.workUntilIdle();
  return id;
}

type Screen = { name: string; at: string; shown: (page: Page) => Promise<unknown> };

/** Returns each screen of the pages, with a check that the screen is complete. */
function screensOf(turnId: string): Screen[] {
  const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor();
  return [
    { name: 'list', at: '#/turns', shown: (page) => page.locator('a.row').first().waitFor() },
    { name: 'conversations', at: '#/conversations', shown: (page) => page.locator('a.row').first().waitFor() },
    {
      name: 'turn',
      at: `#/turns/${turnId}`,
      shown: async (page) => {
        await page.getByRole('region', { name: 'Answer' }).waitFor();
        await page.locator('.call summary').last().click();
      },
    },
    {
      name: 'compare',
      at: `#/compare?left=${turnId}&right=${turnId}`,
      shown: (page) => page.locator('table').waitFor(),
    },
    { name: 'overview', at: '#/overview', shown: (page) => page.locator('svg').first().waitFor() },
    { name: 'agents', at: '#/agents', shown: (page) => page.locator('a.row').first().waitFor() },
    {
      name: 'agent',
      at: '#/agents/support',
      shown: (page) => page.getByText('3 differences').waitFor(),
    },
    { name: 'schedules', at: '#/schedules', shown: (page) => page.getByText('No schedules yet').waitFor() },
    { name: 'workers', at: '#/workers', shown: heading('Workers') },
    { name: 'new', at: `#/new?from=${turnId}`, shown: (page) => page.getByLabel('Model', { exact: true }).waitFor() },
    { name: 'reference', at: 'docs', shown: (page) => page.locator('.operation').first().waitFor() },
  ];
}

/** Returns the accessibility violations that axe finds on a page. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`);
}

browserSuite('the look of the pages', (open) => {
  test.each(LOOKS)('%s: no screen is wider than the window, and axe finds no violation', async (name, reader) => {
    await using harness = await createHarness();
    const id = await startTurns(harness);
    await createAgent(harness);
    await using inspector = await open(harness.url, reader);
    const { page } = inspector;

    const found: Record<string, unknown> = {};
    for (const screen of screensOf(id)) {
      await page.goto(`${harness.url}/${screen.at}`);
      await screen.shown(page);
      const path = `${import.meta.dirname}/screenshots/${screen.name}-${name}.png`;
      await page.screenshot({ path, fullPage: true });
      const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      found[screen.name] = [await page.evaluate(wider), await violationsOf(page)];
    }

    expect(found).toEqual(Object.fromEntries(screensOf(id).map((screen) => [screen.name, [0, []]])));
    expect(inspector.problems).toEqual([]);
  });
});
