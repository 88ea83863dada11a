import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { httpTool } from '#test/harness/http-tool.ts';
import { isoAgo, msAgo } from '#test/harness/moments.ts';
import { insertPastTurns } from '#test/harness/past-turns.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';
import { openTurn } from './open-turn.ts';

const SCRIPT = '<script>window.wasRun = 1</script>';
const IMAGE = '<img src=x onerror="window.wasRun = 1">';
const EVIL = `${SCRIPT}${IMAGE}<b>bold</b>`;

browserSuite('texts of models and tools', (open) => {
  test('markup in texts, arguments, results, errors and metadata is shown as text', async ({ harness }) => {
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
    const closed = page.locator('details:not([open]) > summary:visible');
    while ((await closed.count()) > 0) await closed.first().click();
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

  test('bidirectional controls are shown as escapes in inputs, Markdown, code, formulas', async () => {
    const answer =
      '\u202eplain **\u202ebold** `\u202ecode`\n\n```js\n"\u202e"\n```\n\n' +
      '\\(\\text{\\char"202E abc}\\) \\(\\text{\u202e}\\) \\(x^2\\)';
    await using opened = await openTurn(
      open,
      { input: `\u202easked ${scripted({ answer })}` },
      { shows: 'conversation' },
    );
    const { page } = opened;
    await page.locator('.reply .hljs-string').waitFor();
    await page.locator('.reply math msup').waitFor();
    const shown = await page.locator('main').innerText();

    for (const word of ['asked', 'plain', 'bold', 'code']) expect.soft(shown).toContain(`⟨U+202E⟩${word}`);
    expect(await page.locator('.reply .hljs-string').innerText()).toBe('"⟨U+202E⟩"');
    expect(await page.locator('.reply .formula').allInnerTexts()).toEqual([
      '\\(\\text{\\char"202E abc}\\)',
      '\\(\\text{⟨U+202E⟩}\\)',
      expect.stringContaining('2'),
    ]);
    expect(await page.locator('html').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test('markup in failures, filters, workers, batches and requests is shown as text', async ({ harness }) => {
    const error = { code: `code${EVIL}`, message: EVIL };
    await insertPastTurns(harness.db, { from: msAgo(60_000), count: 1, everyMs: 1, status: 'failed', error });
    const tool = { name: 'look_up', description: `Looks up ${EVIL}` };
    const { id } = await harness.startTurn({
      input: EVIL,
      instructions: EVIL,
      tools: [tool],
      metadata: { '<b>x</b>': EVIL },
    });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/docs`);
    const { page, problems } = inspector;
    await serveWorkers(page);
    const clean = async () => {
      expect(await page.locator(':is(main, dialog) :is(script, img, b b, p b, code b)').count()).toBe(0);
      expect(await page.evaluate('window.wasRun')).toBeUndefined();
    };

    await page.goto(`${harness.url}/#/overview`);
    expect(await page.locator('.failures .example span').innerText()).toBe(EVIL);
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('heading', { name: 'Retry 1 failed turn?' }).waitFor();
    await clean();
    await page.getByRole('button', { name: 'Leave it' }).click();
    const query = new URLSearchParams({ q: EVIL, model: EVIL, 'metadata[<b>x</b>]': EVIL, error_code: EVIL });
    await page.goto(`${harness.url}/#/turns?${query}`);
    expect(await page.locator('.chips b').first().innerText()).toBe(EVIL);
    await clean();
    await page.goto(`${harness.url}/#/workers`);
    expect(await page.locator('.worker code').first().innerText()).toBe(EVIL);
    expect(await page.locator('.queues tbody code').innerText()).toBe(EVIL);
    expect(await page.locator('.batches tbody code').allInnerTexts()).toEqual([EVIL, EVIL]);
    expect(await page.locator('.batches > p').innerText()).toContain(`rounds of ${EVIL} wait`);
    await clean();
    await page.goto(`${harness.url}/#/turns/${id}`);
    for (const fold of ['Request to the model', 'Settings of the turn']) await page.getByText(fold).click();
    await waitUntil(async () =>
      expect(await page.locator('.message .said').allInnerTexts()).toEqual([EVIL, EVIL, EVIL]),
    );
    await page.locator('.fold .role', { hasText: 'instructions' }).waitFor();
    await clean();

    expect(problems).toEqual([]);
  });
});

/** Creates workers, queues and batches with markup as their names. */
async function serveWorkers(page: Page): Promise<void> {
  const list = (data: unknown[]) => ({ object: 'list', data, has_more: false, next_cursor: null });
  const now = isoAgo(0);
  const step = { turn_id: EVIL, step: EVIL, since: now };
  const worker = { id: EVIL, started_at: now, last_seen_at: now, concurrency: 5, steps: [step] };
  const queue = { name: EVIL, provider: EVIL, waiting: 1, active: 1, rate_limited_until: null };
  await page.route('**/v1/workers', (route) => route.fulfill({ json: list([worker]) }));
  await page.route('**/v1/queues', (route) => route.fulfill({ json: list([queue]) }));
  const batch = { id: EVIL, model: EVIL, state: 'open', requests: 1, answered: 0, refusals: 1, refusal_code: EVIL };
  const waiting = [{ model: EVIL, requests: 2, age_seconds: 1 }];
  const batches = { ...list([{ ...batch, created_at: now }]), waiting };
  await page.route('**/v1/batches*', (route) => route.fulfill({ json: batches }));
}
