import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { browserSuite } from './browser-suite.ts';

const SCRIPT = '<script>window.wasRun = 1</script>';
const IMAGE = '<img src=x onerror="window.wasRun = 1">';
const EVIL = `${SCRIPT}${IMAGE}<b>bold</b>`;

browserSuite('what models and tools say', (open) => {
  test('markup in texts, arguments, results, errors and metadata is shown as text, and nothing of it runs', async () => {
    await using harness = await createHarness();
    await using tool = await openExternalServer((number) => ({ status: number === 1 ? 200 : 400, body: EVIL }));
    const calls = ['call_1', 'call_2'].map((id) => ({ id, name: 'look_up', arguments: { city: EVIL } }));
    const { id } = await harness.startTurn({
      input: `${EVIL}\n${scripted({ rounds: [{ say: EVIL, reasoning: EVIL, tools: calls }], answer: EVIL })}`,
      tools: [httpTool('look_up', tool.url, { effect: 'none', status_text: EVIL })],
      metadata: { note: EVIL },
    });
    await harness.workUntilIdle();

    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    for (const closed of await page.locator('summary').all()) await closed.click();
    await page.goto(`${harness.url}/#/turns`);
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
