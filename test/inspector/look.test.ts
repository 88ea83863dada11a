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

browserSuite('how it looks', (open) => {
  test.each(LOOKS)('%s: nothing is wider than the screen', async (name, reader) => {
    await using harness = await createHarness();
    const id = await startTurns(harness);
    await using inspector = await open(harness.url, reader);
    const { page } = inspector;
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    const shoot = (what: string) =>
      page.screenshot({ path: `${import.meta.dirname}/screenshots/${what}-${name}.png`, fullPage: true });

    await page.locator('a.row').first().waitFor();
    await shoot('list');
    const ofList = await overflow();
    await page.goto(`${harness.url}/#/turns/${id}`);
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await page.locator('.call summary').last().click();
    await shoot('turn');
    const ofTurn = await overflow();
    await page.goto(`${harness.url}/#/new?from=${id}`);
    await page.getByLabel('Model', { exact: true }).waitFor();
    await shoot('new');

    expect([ofList, ofTurn, await overflow()]).toEqual([0, 0, 0]);
    expect(inspector.problems).toEqual([]);
  });
});
