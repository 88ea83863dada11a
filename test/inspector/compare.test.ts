import { expect, test } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { browserSuite } from './browser-suite.ts';
import { openTurn } from './open-turn.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };

browserSuite('the comparison of a rerun', (open) => {
  test('a rerun on another model takes calls from the record, and both are compared', async () => {
    const env = { PAWL_PRICES: '{"openai/test":{"input":2,"output":8},"openai/large":{"input":20,"output":80}}' };
    const input = scripted({ rounds: [{ say: 'Let me look.', tools: [look] }], answer: 'It is **warm**: {{results}}' });
    await using opened = await openTurn(open, { input, tools: ['weather_lookup'] }, { env, shows: 'conversation' });
    const { harness, id, page } = opened;
    const [left, right] = [page.getByRole('region', { name: 'Left' }), page.getByRole('region', { name: 'Right' })];

    await page.getByRole('button', { name: 'Rerun' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Model').fill('openai/large');
    await page.getByRole('button', { name: 'Run it' }).click();
    await right.getByText('Queued').waitFor();
    await harness.workUntilIdle();
    await right.getByText('Completed').waitFor();
    await right.getByText('1 round · weather_lookup').click();
    await right.locator('.call').getByText('cached', { exact: true }).waitFor();
    const answers = await page.locator('.side .reply').allInnerTexts();
    const cost = await page.getByRole('row', { name: 'Cost' }).getByRole('cell').allInnerTexts();
    await right.getByRole('link', { name: 'Conversation' }).click();
    await page.getByRole('link', { name: 'a rerun: compare' }).click();
    await left.getByText('openai/test').waitFor();

    expect(answers[0]).toMatch(/^It is warm: /);
    expect(answers[1]).toBe(answers[0]);
    expect(cost.at(-1)).toBe('+900 %');
    expect(page.url()).toContain(id);
  });

  test('the dialog of a rerun requires a model, and shows a refusal', async () => {
    await using opened = await openTurn(open, { input: 'Hi' }, { reports: true });
    const { page } = opened;
    const dialog = page.getByRole('dialog');
    const model = dialog.getByLabel('Model');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.method()));

    await page.getByRole('button', { name: 'Rerun' }).click();
    await model.fill('');
    await model.press('Enter');
    const sent = requests.filter((method) => method === 'POST');
    await model.fill('nowhere/model');
    await model.press('Enter');
    await dialog.getByRole('alert').getByText('The provider "nowhere" is not configured.').waitFor();

    expect(sent).toEqual([]);
    expect(await page.locator('#notice').innerText()).toBe('');
  });
});
