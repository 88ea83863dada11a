import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { browserSuite } from './browser-suite.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

browserSuite('a new turn', (open) => {
  test('the form of a new turn sends files, fallback models, limits and an output schema', async () => {
    await using harness = await createHarness();
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

  test('a refused field of a new turn is marked, shows the sentence of the API, and has the focus', async () => {
    await using harness = await createHarness();
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
});
