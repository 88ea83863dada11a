import { expect } from 'vitest';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { createHarness, startBackgroundWorker, workUntilEnded } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { openHeldModel } from '#test/harness/servers/held-model.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

const call = { name: 'look_up', arguments: { city: 'Tokyo' }, id: 'call_1' };

browserSuite('the page of a running turn', (open) => {
  test('text appears as it streams, running tools show progress, commits replace both', async () => {
    await using model = await openHeldModel(3);
    await using harness = await createHarness({ env: { OPENAI_BASE_URL: model.baseUrl } });
    await using tool = await openExternalServer(() => null);
    const say = 'Let me look that up for you, in three different places.';
    const input = `How warm is it?\n${scripted({ rounds: [{ say, tools: [call], piece_chars: 4 }], answer: 'Warm: {{results}}' })}`;
    const tools = [httpTool('look_up', tool.url, { status_text: 'Asking the station…' })];

    const { id } = await harness.startTurn({ input, tools });
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    const round = page.locator('.entry', { has: page.getByRole('heading', { name: 'Round 1' }) });
    await page.getByRole('status').getByText('Queued').waitFor();
    await using _worker = await startBackgroundWorker(harness);
    const early = await round.locator('.streaming', { hasText: /^Let me/ }).innerText();
    model.goOn();
    await page.getByText('Asking the station…').waitFor();
    const committed = await round.locator('.said').innerText();
    const status = await page.locator('.call .badge').innerText();
    (await tool.arrival(1)).answer({ status: 200, body: '18 degrees' });
    await page.getByRole('region', { name: 'Answer' }).getByText('Warm: 18 degrees').waitFor();

    expect(early.length).toBeLessThan(say.length);
    expect([committed, status]).toEqual([say, 'running']);
    expect(await page.locator('.streaming').count()).toBe(0);
    await page.locator('.call').getByText('success').waitFor();
    await page.getByRole('heading', { name: 'Round 2' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a tool that was running before the page was opened is shown as running', async ({ harness }) => {
    await using tool = await openExternalServer(() => null);
    const { id } = await harness.startTurn({
      input: scripted({ rounds: [{ tools: [call] }], answer: 'Done.' }),
      tools: [httpTool('look_up', tool.url, { effect: 'none' })],
    });
    const working = harness.workUntilIdle();
    const arrived = await tool.arrival(1);
    await using inspector = await open(`${harness.url}/#/turns/${id}`);

    await inspector.page.locator('.call .badge').getByText('running').waitFor();
    arrived.answer({ status: 200, body: '18 degrees' });
    await working;
    await inspector.page.getByRole('heading', { name: 'Completed' }).waitFor();

    expect(inspector.problems).toEqual([]);
  });

  test('a lost stream is opened again after its last event, without a gap', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'Hi', tools: ['weather_lookup'] });
    const [first] = await harness.listEvents(id);
    await using inspector = await open(harness.url);
    const { page, problems } = inspector;
    const asked: (string | null)[] = [];
    let isAway = true;
    await page.route('**/events?*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('after'));
      if (asked.length > 1) return isAway ? route.abort() : route.continue();
      const body = `event: turn.queued\nid: 1\ndata: ${JSON.stringify(first)}\n\nevent: turn.star`;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });

    await page.goto(`${harness.url}/#/turns/${id}`);
    await page.getByText('The connection was lost.').waitFor();
    isAway = false;
    await harness.workUntilIdle();
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    await page.getByRole('heading', { name: 'Round 2' }).waitFor();
    await page.getByText('The connection was lost.').waitFor({ state: 'detached' });

    expect(asked.slice(0, 3)).toEqual(['0', '1', '1']);
    expect(await page.locator('.timeline h3').allInnerTexts()).toEqual([
      'Started',
      'Round 1',
      'Batch 1',
      'Round 2',
      'Completed',
    ]);
    expect(await page.getByText('The connection was lost.').count()).toBe(0);
    expect(problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
  });

  test('a failed attempt and a lost worker are shown between the checkpoints', async ({ harness }) => {
    const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 1 };
    const { id } = await harness.startTurn({
      input: scripted({
        rounds: [{ say: 'Looking.', tools: [{ ...call, name: 'weather_lookup' }], fault }],
        answer: 'Done.',
      }),
      tools: ['weather_lookup'],
    });
    await harness.workUntilIdle();
    await harness.advance(31_000);
    await takeLease(harness.db, (await loadTurn(harness.db, id))!, 'lost');
    await harness.advance(60_000);
    await harness.rescue();
    await workUntilEnded(harness, id);

    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    await inspector.page.getByRole('heading', { name: 'Completed' }).waitFor();
    const headings = await inspector.page.locator('.timeline h3').allInnerTexts();

    expect(headings).toEqual([
      'Started',
      'An attempt at round 1 failed',
      'A worker was lost',
      'Round 1',
      'Batch 1',
      'Round 2',
      'Completed',
    ]);
    await inspector.page.getByText('attempt 3').waitFor();
  });
});
