import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('the page of schedules', (open) => {
  test('a schedule is created, starts turns, is disabled, enabled and deleted', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/schedules`, { width: 375 });
    const { page, problems } = inspector;
    const create = page.getByRole('button', { name: 'Create schedule' });
    const row = page.locator('.schedule');

    await page.getByText('No schedules yet').waitFor();
    await page.getByText('New schedule').click();
    await page.getByLabel('Cron').fill('0 25 * * *');
    await page.getByLabel('Model').fill('openai/test');
    await page.getByLabel('Input').fill('What is new?');
    await create.click();
    const refused = await page.getByRole('alert').innerText();
    const focused = await page.getByLabel('Cron').evaluate((field) => field.matches(':focus'));
    await page.getByLabel('Cron').fill('');
    await page.getByLabel('Every how many').fill('5');
    await page.getByLabel('Unit').selectOption('minutes');
    await create.click();
    await row.getByText('Every 5 minutes').waitFor();
    await row.getByText('Next in').waitFor();
    await harness.advance(300_000);
    await harness.fireSchedules();
    await harness.workUntilIdle();
    await row.getByText('Last turns: 1 completed').waitFor();
    const chip = await row.locator('.firing').getAttribute('aria-label');
    await row.getByRole('switch', { name: 'Enabled' }).click();
    await row.getByText('A disabled schedule starts no turns.').waitFor();
    await row.getByRole('switch', { name: 'Disabled' }).press('Enter');
    await row.getByText('Next in').waitFor();
    await row.locator('.firing').click();
    await page.getByRole('heading', { name: 'What is new?' }).waitFor();
    await page.goBack();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('No schedules yet').waitFor();

    expect(refused).toContain('Give 0 to 23');
    expect(focused).toBe(true);
    expect(chip).toMatch(/^Completed, /);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    expect(problems).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });

  test('a refused interval is marked, and a created schedule resets the form', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/schedules`);
    const { page } = inspector;
    const [every, unit] = [page.getByLabel('Every how many'), page.getByLabel('Unit')];
    const create = page.getByRole('button', { name: 'Create schedule' });

    await page.getByText('New schedule').click();
    await page.getByLabel('Model').fill('openai/test');
    await page.getByLabel('Input').fill('What is new?');
    await every.fill('99999999');
    await unit.selectOption('days');
    await create.click();
    const refused = await page.getByRole('alert').innerText();
    const isMarked = await every.evaluate((field) => field.matches('[aria-invalid]:focus'));
    await every.fill('2');
    await create.click();
    await page.getByText('Every 2 days').waitFor();

    expect(refused).toContain('every_seconds');
    expect(isMarked).toBe(true);
    expect([await every.inputValue(), await unit.inputValue()]).toEqual(['1', 'hours']);
  });

  test('a schedule shows the outcome of each turn in its colour and in words', async ({ harness }) => {
    const fault = scripted({ rounds: [], final: { fault: { kind: 'status', status: 401 } } });
    const body = { every_seconds: 60, turn: { model: 'openai/test', input: fault } };
    await harness.call('POST', '/v1/schedules', { body });
    await harness.advance(60_000);
    await harness.fireSchedules();
    await harness.workUntilIdle();

    await using inspector = await open(`${harness.url}/#/schedules`);
    const { page } = inspector;
    await page.getByText('Last turns: 1 failed').waitFor();
    const chip = page.getByRole('link', { name: 'Failed, ' });

    expect(await chip.getAttribute('class')).toBe('badge firing failed');
    expect(await chip.getAttribute('href')).toMatch(/^#\/turns\/turn_/);
    expect(inspector.problems).toEqual([]);
  });
});
