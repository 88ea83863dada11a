import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { isoAgo } from '#test/harness/moments.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';

const STEP = { turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', step: 'b2', since: '2026-11-20T10:00:00.000Z' };
const list = (data: unknown[]) => ({ object: 'list', data, has_more: false, next_cursor: null });

browserSuite('workers and queues', (open) => {
  test('a worker that starts appears, and every queue shows its waiting jobs over time', async ({ harness }) => {
    await harness.startTurn({ input: 'Hi' });
    await using inspector = await open(`${harness.url}/#/workers`);
    const { page } = inspector;

    await page.getByText('No worker is alive').waitFor();
    const rows = await page.getByRole('region', { name: 'Queues' }).getByRole('row').allInnerTexts();
    await page.getByRole('img', { name: 'Jobs waiting in turns-openai: 1 now, at most 1 in 5 minutes' }).waitFor();
    const charts = page.getByRole('region', { name: 'Last hour' }).getByRole('slider');
    await waitUntil(async () => expect(await charts.count()).toBe(2));
    await using _worker = await startBackgroundWorker(harness);
    await page.locator('.worker').waitFor();

    expect(rows.some((row) => /openai\s+1\s+0/.test(row))).toBe(true);
    expect(inspector.problems).toEqual([]);
  });

  test('a worker shows its steps with their turns, and a queue shows its rate limit', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/docs`);
    const { page } = inspector;
    const until = isoAgo(-90_000);
    const times = { started_at: STEP.since, last_seen_at: isoAgo(0) };
    const workers = [{ id: 'wrk_1', object: 'worker', ...times, concurrency: 50, steps: [STEP] }];
    const queue = { name: 'turns-openai', object: 'queue', provider: 'openai', waiting: 12, active: 1 };
    await page.route('**/v1/workers', (route) => route.fulfill({ json: list(workers) }));
    await page.route('**/v1/queues', (route) =>
      route.fulfill({ json: list([{ ...queue, rate_limited_until: until }]) }),
    );

    await page.goto(`${harness.url}/#/workers`);

    await page.getByText('1 step running · 1 worker').waitFor();
    await page.getByText(/rate-limited for 1 min/).waitFor();
    const step = page.locator('a.step');
    expect(await step.getAttribute('href')).toBe(`#/turns/${STEP.turn_id}`);
    expect(await step.innerText()).toContain('tools of round 2');
  });

  test('batches show their size, state and age, and the rounds that wait for a batch', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/docs`);
    const { page } = inspector;
    const batch = { id: 'batch_1', object: 'batch', provider: 'openai', model: 'openai/gpt-5.4', sent_at: null };
    const age = { created_at: isoAgo(600_000), age_seconds: 600 };
    const batches = [
      { ...batch, ...age, state: 'sent', requests: 1_500, answered: 12, refusals: 0, refusal_code: null },
      { ...batch, ...age, id: 'batch_2', state: 'open', requests: 4, answered: 0, refusals: 2, refusal_code: 'away' },
    ];
    const waiting = [{ object: 'batch.waiting', provider: 'sim', model: 'sim/demo', requests: 3, age_seconds: 90 }];
    await page.route('**/v1/batches*', (route) => route.fulfill({ json: { ...list(batches), waiting } }));

    await page.goto(`${harness.url}/#/workers`);

    const region = page.getByRole('region', { name: 'Batches' });
    await region.waitFor();
    const rows = await region.getByRole('row').allInnerTexts();
    expect(rows[1]).toMatch(/batch_1\s+openai\/gpt-5\.4\s+At the provider\s+12 of 1,500\s+\d+ min/);
    expect(rows[2]).toMatch(/batch_2\s.*Waits to be sent\s+refused 2 times: away\s+0 of 4/s);
    expect(await region.innerText()).toMatch(/3 rounds of sim\/demo wait for a batch, the oldest for 1 min 30 s/);
    expect(inspector.problems).toEqual([]);
  });

  test('a phone shows all columns of the batches, and the rounds that wait', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/docs`, { width: 360 });
    const { page } = inspector;
    const model = 'anthropic/claude-opus-5-20260801';
    const batch = {
      ...{ id: 'batch_01kagz8m4pfvbte2n5q7rys3wx', object: 'batch', provider: 'anthropic', model, state: 'open' },
      ...{ requests: 50_000, answered: 0, refusals: 2, refusal_code: 'provider_rate_limited', sent_at: null },
      ...{ created_at: isoAgo(600_000), age_seconds: 600 },
    };
    const waiting = [{ object: 'batch.waiting', provider: 'anthropic', model, requests: 3, age_seconds: 90 }];
    await page.route('**/v1/batches*', (route) => route.fulfill({ json: { ...list([batch]), waiting } }));

    await page.goto(`${harness.url}/#/workers`);

    const region = page.getByRole('region', { name: 'Batches' });
    await region.waitFor();
    const hidden = await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBe(0);
  });

  test('the page of workers has no section for batches without batches', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/workers`);
    const { page } = inspector;

    await page.getByRole('region', { name: 'Queues' }).waitFor();

    expect(await page.getByRole('region', { name: 'Batches' }).count()).toBe(0);
  });

  test('the page of workers names the scope that it requires', async () => {
    await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });
    await using inspector = await open(`${harness.url}/#/workers`);
    const { page } = inspector;

    await page.getByRole('textbox', { name: 'Key' }).fill('key-of-alpha');
    await page.getByRole('button', { name: 'Use this key' }).click();

    await page.getByText('Only keys with the scope admin can see them.').waitFor();
  });
});
