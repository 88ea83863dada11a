import { expect, test } from 'vitest';
import { createWorld, type World } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';
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

async function startTurns(world: World): Promise<string> {
  await world.startTurn({ input: 'Say hello to Ada.' });
  await world.startTurn({
    input: 'Ask me first.',
    tools: [{ name: 'read_clipboard', description: 'Reads the clipboard' }],
  });
  const { id } = await world.startTurn({
    input: `How is the weather in ${city}?\n${script}`,
    tools: ['weather_lookup', 'note_visit'],
  });
  await world.workUntilIdle();
  await world.advance(60_000);
  await world.rescue();
  await world.workUntilIdle();
  return id;
}

browserSuite('how it looks', (open) => {
  test.each(LOOKS)('%s: nothing is wider than the screen', async (name, reader) => {
    await using world = await createWorld();
    const id = await startTurns(world);
    await using inspector = await open(world.url, reader);
    const { page } = inspector;
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    const shoot = (what: string) =>
      page.screenshot({ path: `${import.meta.dirname}/screenshots/${what}-${name}.png`, fullPage: true });

    await page.locator('a.row').first().waitFor();
    await shoot('list');
    const ofList = await overflow();
    await page.goto(`${world.url}/#/turns/${id}`);
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await page.locator('.call summary').last().click();
    await shoot('turn');
    const ofTurn = await overflow();
    await page.goto(`${world.url}/#/new?from=${id}`);
    await page.getByLabel('Model').waitFor();
    await shoot('new');

    expect([ofList, ofTurn, await overflow()]).toEqual([0, 0, 0]);
    expect(inspector.problems).toEqual([]);
  });
});
