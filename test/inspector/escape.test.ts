import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { httpTool } from '#test/world/http-tool.ts';
import { scripted } from '#test/world/scripted.ts';
import { openStranger } from '#test/world/stranger.ts';
import { browserSuite } from './browser-suite.ts';

const SCRIPT = '<script>window.wasRun = 1</script>';
const IMAGE = '<img src=x onerror="window.wasRun = 1">';
const EVIL = `${SCRIPT}${IMAGE}<b>bold</b>`;

browserSuite('what models and tools say', (open) => {
  test('markup in texts, arguments, results, errors and metadata is shown as text, and nothing of it runs', async () => {
    await using world = await createWorld();
    await using tool = await openStranger((number) => ({ status: number === 1 ? 200 : 400, body: EVIL }));
    const calls = ['call_1', 'call_2'].map((id) => ({ id, name: 'look_up', arguments: { city: EVIL } }));
    const { id } = await world.startTurn({
      input: `${EVIL}\n${scripted({ rounds: [{ say: EVIL, reasoning: EVIL, tools: calls }], answer: EVIL })}`,
      tools: [httpTool('look_up', tool.url, { effect: 'none', status_text: EVIL })],
      metadata: { note: EVIL },
    });
    await world.workUntilIdle();

    await using inspector = await open(`${world.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    for (const closed of await page.locator('summary').all()) await closed.click();
    await page.goto(`${world.url}/#/turns`);
    await page.locator('a.row').waitFor();
    const inList = await page.locator('a.row .title').innerText();
    await page.goBack();
    await page.getByRole('region', { name: 'Answer' }).waitFor();

    expect(inList).toBe(EVIL);
    expect(await page.locator('.answer-text').innerText()).toBe(EVIL);
    expect(await page.getByRole('region', { name: 'Timeline' }).locator('.said').first().innerText()).toBe(EVIL);
    expect(await page.locator('main :is(script, img, b b, p b)').count()).toBe(0);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(problems).toEqual([]);
  });
});
