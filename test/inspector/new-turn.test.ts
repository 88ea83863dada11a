import { expect } from 'vitest';
import { toolRegistry } from '#core/tools/registry.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

browserSuite('a new turn', (open) => {
  test('the form of a new turn sends files, fallback models, limits and an output schema', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/new`);
    const { page, problems } = inspector;
    const schema = { name: 'answer', schema: { type: 'object' } };

    await page.getByLabel('Model', { exact: true }).fill('openai/test');
    await page.getByLabel('Input').fill('What is on it?');
    const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await page.getByLabel('Images, files or audio').setInputFiles(file);
    await page.getByText('Fallback models, limits and output schema').click();
    await page.getByLabel('Fallback models').fill('openai/other, openai/third');
    await page.getByLabel('Rounds with calls').fill('3');
    await page.getByLabel('Output schema').fill(JSON.stringify(schema));
    await page.getByLabel('Input').press('Control+Enter');
    await page.waitForURL(/#\/turns\/turn_/);

    const { body: turn } = await harness.call<TurnResource>('GET', `/v1/turns/${page.url().split('/').at(-1)}`);
    const { body: conversation } = await harness.call('GET', `/v1/conversations/${turn.conversation_id}`);
    expect(turn.input[0]?.content).toMatchObject([{ text: 'What is on it?' }, { type: 'input_image' }]);
    expect(conversation).toMatchObject({ fallback_models: ['openai/other', 'openai/third'], output_schema: schema });
    expect(conversation).toMatchObject({ limits: { max_rounds: 3, max_tool_calls: 200 } });
    expect(problems).toEqual([]);
  });

  test('a refused field of a new turn is marked, shows the API’s sentence, and has focus', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/new`);
    const { page } = inspector;
    const model = page.getByLabel('Model', { exact: true });

    await model.fill('nowhere/model');
    await page.getByLabel('Input').fill('Hi');
    await page.getByRole('button', { name: 'Start turn' }).click();
    await page.getByText('The provider "nowhere" is not configured.').waitFor();

    expect(await model.getAttribute('aria-invalid')).toBe('true');
    expect(await model.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await page.locator('#notice').innerText()).toBe('');
  });

  test('a refused tool of a new turn has the focus, below the sentence of the API', async ({ harness }) => {
    const { tools } = harness.parts;
    await using inspector = await open(`${harness.url}/#/new`);
    const { page } = inspector;
    const removed = page.getByLabel('note_visit');

    await page.getByLabel('Model', { exact: true }).fill('openai/test');
    await page.getByLabel('Input').fill('Hi');
    await page.getByLabel('send_postcard').check();
    await removed.check();
    Object.assign(tools, toolRegistry([tools.find('send_postcard')].filter((tool) => tool !== undefined)));
    await page.getByRole('button', { name: 'Start turn' }).click();
    await page.getByRole('group', { name: 'Tools' }).getByText('Tool "note_visit" not found').waitFor();

    expect(await removed.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await page.locator('#notice').innerText()).toBe('');
  });

  test('the link to the content moves the focus, and keeps the page', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/new`);
    const { page } = inspector;

    await page.getByLabel('Model', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Skip to the content' }).press('Enter');

    expect(await page.locator('#main').evaluate((main) => main.matches(':focus'))).toBe(true);
    expect(page.url()).toContain('#/new');
  });
});
