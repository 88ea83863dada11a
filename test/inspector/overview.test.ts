import { expect } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { msAgo } from '#test/harness/moments.ts';
import { insertPastTurns } from '#test/harness/past-turns.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';

const MINUTE = 60_000;
const projects = {
  web: { keys: ['key-of-web'] },
  operators: { keys: [{ key: 'key-of-operators', scopes: ['admin'] }] },
};
const failing = (status: number) => scripted({ rounds: [], final: { fault: { kind: 'status', status } } });

browserSuite('the overview', (open) => {
  test('the overview shows turns by status, tokens, durations and waits of the last day', async ({ harness }) => {
    for (const input of ['Hi', 'Hello', failing(401)]) await harness.startTurn({ input });
    await harness.workUntilIdle();
    await harness.startTurn({ input: 'Later.' });
    await using inspector = await open(`${harness.url}/#/overview`);
    const chart = (name: string) => inspector.page.getByRole('region', { name, exact: true });

    await waitUntil(async () => expect(await chart('Turns').locator('.headline').innerText()).toBe('4 · 33 % failed'));

    const readings = (name: string) => chart(name).getByRole('listitem').allInnerTexts();
    expect(await readings('Turns')).toEqual(['Completed 2', 'Queued 1', 'Failed 1']);
    expect(await readings('Tokens')).toEqual([expect.stringMatching(/^In \d+$/), expect.stringMatching(/^Out \d+$/)]);
    for (const name of ['Duration', 'Queue wait'])
      expect(await readings(name)).toEqual([expect.stringMatching(/^Median \d/), expect.stringMatching(/^p95 \d/)]);
    expect(inspector.problems).toEqual([]);
  });

  test('the overview refreshes automatically, and links to another range', async ({ harness }) => {
    await insertPastTurns(harness.db, { from: msAgo(90 * MINUTE), count: 3, everyMs: 1, status: 'completed' });
    await using inspector = await open(`${harness.url}/docs`);
    const { page } = inspector;
    await page.clock.install();
    await page.goto(`${harness.url}/#/overview`);
    const headline = page.getByRole('region', { name: 'Turns' }).locator('.headline');

    await waitUntil(async () => expect(await headline.innerText()).toBe('3'));
    await harness.startTurn({ input: 'Hi' });
    await page.clock.runFor(MINUTE);
    await waitUntil(async () => expect(await headline.innerText()).toBe('4'));
    await page.getByRole('link', { name: '1 hour' }).click();
    await waitUntil(async () => expect(await headline.innerText()).toBe('1'));

    expect(page.url()).toContain('range=1h');
    expect(await page.getByRole('link', { name: '1 hour' }).getAttribute('aria-current')).toBe('true');
  });

  test('the overview without a range shows the shortest range with all turns of the day', async ({ harness }) => {
    await harness.startTurn({ input: 'Hi' });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;
    const chosen = () => page.getByRole('navigation', { name: 'Range of time' }).locator('[aria-current]').innerText();

    await page.getByRole('region', { name: 'Turns' }).waitFor();
    const first = await chosen();
    await insertPastTurns(harness.db, { from: msAgo(5 * 3_600_000), count: 1, everyMs: 1, status: 'completed' });
    await page.reload();
    await page.getByRole('region', { name: 'Turns' }).waitFor();

    expect([first, await chosen()]).toEqual(['15 minutes', '6 hours']);
  });

  test('the overview shows usage and cost by model', async ({ harness }) => {
    await harness.startTurn({ input: 'Hi' });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/overview`);
    const rows = inspector.page.getByRole('region', { name: 'Usage by model' }).getByRole('row');

    await waitUntil(async () => expect(await rows.count()).toBe(2));

    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Model\s+Turns\s+Rounds\s+Tool calls\s+Tokens in\s+From cache\s+Tokens out\s+Cost$/),
      expect.stringMatching(/^openai\/test\s+1\s+1\s+0\s+\d+\s+–\s+\d+\s+–$/),
    ]);
  });

  test('keys read all charts at once: each interval is spoken, and Enter lists its turns', async ({ harness }) => {
    await insertPastTurns(harness.db, { from: msAgo(5 * 3_600_000), count: 2, everyMs: 1, status: 'completed' });
    await insertPastTurns(harness.db, { from: msAgo(5_000), count: 1, everyMs: 1, status: 'failed' });
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;
    const plot = page.getByRole('slider', { name: 'Turns over time' });

    await plot.focus();
    await page.keyboard.press('End');
    const last = await plot.getAttribute('aria-valuetext');
    // If a half hour has just ended, the failed turn is in the previous interval.
    if (last?.endsWith('Failed 0')) await page.keyboard.press('ArrowLeft');
    const spoken = await plot.getAttribute('aria-valuetext');
    const other = await page.getByRole('slider', { name: 'Tokens over time' }).getAttribute('aria-valuetext');
    await page.keyboard.press('Escape');
    const released = await plot.getAttribute('aria-valuetext');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');

    expect(spoken).toMatch(/^\d+ \w+, \d\d:\d\d – .*: Completed 0, Failed 1$/);
    expect(other).toMatch(/: In 100, Out 10$/);
    expect(released).toBe('3 · 33 % failed');
    await waitUntil(() => expect(page.url()).toMatch(/#\/turns\?created_after=.*&created_before=/));
    expect(inspector.problems).toEqual([]);
  });

  test('failures are grouped by code, with links to the newest failure and to all', async ({ harness }) => {
    for (const status of [401, 401, 403]) await harness.startTurn({ input: failing(status) });
    const newest = await harness.startTurn({ input: failing(401) });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;
    const groups = page.getByRole('region', { name: 'Failures' }).getByRole('listitem');

    await waitUntil(async () => expect(await groups.locator('b').allInnerTexts()).toEqual(['3', '1']));
    expect(await groups.locator('code').allInnerTexts()).toEqual([
      'provider_authentication_failed',
      'provider_permission_denied',
    ]);
    const show = groups.first().getByRole('link', { name: 'Show all' });
    expect(await show.getAttribute('href')).toMatch(
      /status=failed&error_code=provider_authentication_failed&created_after=.*&created_before=/,
    );
    await groups.first().locator('a.example').click();
    await waitUntil(() => expect(page.url()).toContain(newest.id));
  });

  test('the key j moves through the examples of the failures', async ({ harness }) => {
    for (const status of [401, 403]) await harness.startTurn({ input: failing(status) });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;
    await page.locator('a.example').nth(1).waitFor();

    const focused: boolean[][] = [];
    for (const _ of [1, 2]) {
      await page.keyboard.press('j');
      focused.push(await page.locator('a.example').evaluateAll((all) => all.map((one) => one.matches(':focus'))));
    }

    expect(focused).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('all failed turns of a code are retried together, after a question with the count', async ({ harness }) => {
    const fault = { kind: 'status' as const, status: 401, times: 1 };
    for (const name of ['Ada', 'Grace'])
      await harness.startTurn({ input: `${name}\n${scripted({ rounds: [], answer: 'At last.', final: { fault } })}` });
    await harness.startTurn({ input: failing(403) });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;

    await page.getByRole('button', { name: 'Retry all: provider_authentication_failed' }).click();
    await page.getByRole('heading', { name: 'Retry 2 failed turns?' }).waitFor();
    await page.getByRole('button', { name: 'Retry 2' }).click();
    await page.getByText('The work continues if you close this dialog').waitFor();
    await harness.workBulks();
    await page.getByRole('heading', { name: '2 of 2 retried' }).waitFor();
    await harness.workUntilIdle();
    await page.getByRole('button', { name: 'Close' }).click();

    await waitUntil(async () =>
      expect(await page.locator('.failures code').allInnerTexts()).toEqual(['provider_permission_denied']),
    );
    expect(inspector.problems).toEqual([]);
  });

  test('the overview shows that the range has no turns, or no failures', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/overview`);

    await inspector.page.getByRole('heading', { name: 'No turns in this period' }).waitFor();
    await harness.startTurn({ input: 'Hi' });
    await inspector.page.reload();

    await inspector.page.getByText('No failed turns in this period.').waitFor();
  });

  test('an admin key chooses the project in the address, and cannot open turns of others', async () => {
    await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
    for (const input of [failing(401), 'Hi']) await apiClient(harness.url, 'key-of-web').startTurn({ input });
    await apiClient(harness.url, 'key-of-operators').startTurn({ input: 'Hello' });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;
    const headline = page.getByRole('region', { name: 'Turns' }).locator('.headline');
    const choice = page.getByLabel('Project');

    await page.getByLabel('Key', { exact: true }).fill('key-of-operators');
    await page.keyboard.press('Enter');
    await waitUntil(async () => expect(await headline.innerText()).toBe('1'));
    expect(await choice.locator('option').allInnerTexts()).toEqual([
      ...['This project', 'All projects', 'operators', 'web'],
    ]);
    await choice.selectOption('All projects');
    await waitUntil(async () => expect(await headline.innerText()).toBe('3 · 33 % failed'));
    await choice.selectOption('web');
    await waitUntil(async () => expect(await headline.innerText()).toBe('2 · 50 % failed'));
    await page.getByRole('link', { name: '1 hour' }).click();
    await waitUntil(() => expect(page.url()).toContain('project=web&range=1h'));
    await page.reload();
    await waitUntil(async () => expect(await headline.innerText()).toBe('2 · 50 % failed'));

    expect(await choice.inputValue()).toBe('web');
    const failures = page.getByRole('region', { name: 'Failures' });
    expect(await failures.getByRole('listitem').innerText()).toMatch(
      /^1\s+provider_authentication_failed\s[\s\S]*\sweb$/,
    );
    expect(await failures.locator('a, button').count()).toBe(0);
    await page.getByRole('slider', { name: 'Turns over time' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByText('The list shows only turns of your key’s project.').waitFor();
  });

  test('a key of a single project has no choice of projects', async () => {
    await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
    for (const key of ['key-of-web', 'key-of-operators']) await apiClient(harness.url, key).startTurn({ input: 'Hi' });
    await using inspector = await open(`${harness.url}/#/overview`);
    const { page } = inspector;

    await page.getByLabel('Key', { exact: true }).fill('key-of-web');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Turns' }).waitFor();

    expect(await page.getByLabel('Project').count()).toBe(0);
  });
});
