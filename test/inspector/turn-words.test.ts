import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Harness, letTimePass, workUntilEnded } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';
import { openTurn } from './open-turn.ts';

const START = Date.parse('2026-01-01T12:00:00Z');

/** Sets the times in a turn, in ms from its start: its events by number, and its only round. */
async function setTimes(
  { db }: Harness,
  id: string,
  events: number[],
  round: [from: number, to: number],
): Promise<void> {
  const at = (ms: number) => new Date(START + ms);
  for (const [index, ms] of events.entries()) {
    await sql`update events set created_at = ${at(ms)} where turn_id = ${id} and number = ${index + 1}`.execute(db);
  }
  await sql`update rounds set started_at = ${at(round[0])}, completed_at = ${at(round[1])} where turn_id = ${id}`.execute(
    db,
  );
  await sql`update turns set created_at = ${at(0)}, started_at = ${at(0)}, completed_at = ${at(events.at(-1) ?? 0)}
    where id = ${id}`.execute(db);
}

browserSuite('the words on the page of a turn', (open) => {
  test('a pause between two attempts is drawn as a pause, not as an attempt or a queue', async ({ harness }) => {
    const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 3 };
    const { id } = await harness.startTurn({ input: scripted({ rounds: [], answer: 'At last.', final: { fault } }) });
    await workUntilEnded(harness, id);
    await sql`update events set data = jsonb_set(data::jsonb, '{retry_in_ms}', case number when 3 then '4000' else '2000' end::jsonb)::json
      where turn_id = ${id} and type = 'step.retrying'`.execute(harness.db);
    await setTimes(harness, id, [0, 0, 1_000, 6_000, 10_000, 10_000], [9_000, 10_000]);
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();

    const legend = await page.locator('.legend span').allInnerTexts();
    const tried = page.locator('.entry.bad');

    expect(legend).toEqual([
      'Queue wait 1.00 s',
      'Model 1.00 s',
      'Pauses between attempts 6.00 s',
      'Lost attempts 2.00 s',
    ]);
    expect(await tried.locator('.took').allInnerTexts()).toEqual(['1.00 s', '1.00 s']);
    expect(await tried.nth(1).locator('.track').getAttribute('aria-label')).toBe(
      'Pauses between attempts 4.00 s, Lost attempts 1.00 s',
    );
    expect(problems).toEqual([]);
  });

  test('a turn shows its pause before a retry, and the pause is not model time', async () => {
    const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 3 };
    await using opened = await openTurn(open, { input: scripted({ rounds: [], final: { fault } }) }, { works: false });
    const { harness, page } = opened;
    await page.getByRole('heading', { name: 'Queued' }).waitFor();
    await harness.workUntilIdle();
    const now = page.locator('.entry.now');

    await now.getByText('asks the model again after a pause of').waitFor();

    expect(await now.locator('.track').getAttribute('aria-label')).toMatch(
      /^Pauses between attempts .*, Model so far$/,
    );
  });

  test('an answer with a schema is shown as JSON, and an invalid answer is marked', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const input = scripted({ answer: '{"city":7}', repairs: [{ say: '{"city":"Lisbon"}' }] });
    await using opened = await openTurn(open, { input, output_schema: { name: 'place', schema } });
    const { page } = opened;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();

    const answer = await page.getByRole('region', { name: 'Answer as JSON' }).innerText();
    const [first, second] = await page.locator('.entry.checkpoint').allInnerTexts();

    expect(answer).toBe('{\n  "city": "Lisbon"\n}');
    expect(first).toMatch(/\{"city":7\}\s+This answer does not match the output schema, so the model repairs it\./);
    expect(second).toContain('The answer above is the text of this round.');
  });

  test('a call that never ran shows no time, and each failed call shows why in its line', async () => {
    const body = 'There is no such city, nor has there ever been.';
    await using tool = await openExternalServer(() => ({ status: 404, body }));
    const calls = [
      { name: 'look_up', arguments: 'not json' },
      { name: 'look_up', arguments: { city: 'Atlantis' } },
    ];
    const input = scripted({ rounds: [{ tools: calls }], answer: 'No.' });
    const tools = [httpTool('look_up', tool.url, { effect: 'none' })];
    await using opened = await openTurn(open, { input, tools }, { width: 360 });
    const { harness, page } = opened;
    await letTimePass(harness);
    const lines = page.locator('.call');
    await page.getByRole('heading', { name: 'Completed' }).waitFor();

    expect(await lines.locator('.took').allInnerTexts()).toEqual(['not run', expect.stringMatching(/ m?s$/)]);
    expect(await lines.nth(0).locator('.track').count()).toBe(0);
    expect(await lines.locator('.why').allInnerTexts()).toEqual([
      expect.stringMatching(/^invalid_arguments ./),
      expect.stringMatching(/^resource_not_found .*There is no such city, nor has there ever been\./),
    ]);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
  });

  test('metadata is separate from measurements, and tokens have the same form everywhere', async () => {
    await using opened = await openTurn(open, { input: 'word '.repeat(6_000), metadata: { order: '4711' } });
    const { page } = opened;
    const metadata = page.getByRole('region', { name: 'Metadata' });
    await metadata.getByText('4711').waitFor();

    const ofTurn = await page.locator('.facts.wide').first().innerText();
    const form = /[1-9]\d*,\d{3} in, \d+ out/;

    expect(ofTurn).not.toContain('4711');
    expect(ofTurn).toMatch(form);
    expect(await page.locator('.entry.checkpoint .meta').first().innerText()).toContain(
      `tokens ${form.exec(ofTurn)?.[0]}`,
    );
  });

  test('an answer of the server that is not JSON is an error in a sentence', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'Hi' });
    await using inspector = await open(harness.url);
    await inspector.page.route(`**/v1/turns/${id}`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>' }),
    );

    await inspector.page.goto(`${harness.url}/#/turns/${id}`);
    const alert = inspector.page.getByRole('alert');
    await alert.waitFor();

    expect(await alert.innerText()).toContain(
      `The answer to GET /v1/turns/${id} is not valid JSON. Check that Pawl's API`,
    );
  });

  test('an error for an event that is not JSON stays when the turn is loaded after it', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'Hi' });
    await using inspector = await open(harness.url);
    const { page } = inspector;
    const alert = page.getByRole('alert').getByText('An event of the stream is not valid JSON.');
    const body = 'event: turn.queued\nid: 1\ndata: {"type":\n\n';
    await page.route('**/events?*', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await page.route(`**/v1/turns/${id}`, async (route) => {
      await alert.waitFor();
      await route.continue();
    });

    await page.goto(`${harness.url}/#/turns/${id}`);
    await page.getByRole('heading', { name: 'Queued' }).waitFor();

    expect(await alert.count()).toBe(1);
  });

  test('a result that is invalid JSON is sent only after a second submit', async () => {
    const tools = [{ name: 'read_clipboard', description: 'Reads the clipboard of the client' }];
    const rounds = [{ tools: [{ name: 'read_clipboard', arguments: {} }] }];
    await using opened = await openTurn(open, { input: scripted({ rounds, answer: 'So: {{results}}' }), tools });
    const { harness, id, page } = opened;
    await page.getByLabel('Result', { exact: true }).fill('{"a": 1,');
    const submit = page.getByRole('button', { name: 'Submit result' });

    await submit.click();
    await page.getByText('This result is not valid JSON').waitFor();
    const meanwhile = (await harness.findTurn(id)).status;
    await submit.click();
    await page.getByText('Waited for the client').waitFor();
    await harness.workUntilIdle();

    expect(meanwhile).toBe('requires_action');
    expect((await harness.findTurn(id)).output).toBe('So: {"a": 1,');
  });

  test('a notice does not cover a hint', async () => {
    await using opened = await openTurn(open, { input: 'Hi' }, { works: false, reports: true });
    const { page } = opened;
    await page.route('**/cancel', (route) => route.abort());
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('#notice', { hasText: 'Pawl does not answer' }).waitFor();

    await page.locator('.keys').scrollIntoViewIfNeeded();
    const [notice, keys] = [await page.locator('#notice').boundingBox(), await page.locator('.keys').boundingBox()];

    expect(notice!.y + notice!.height).toBeLessThanOrEqual(keys!.y);
  });

  test('a waiting turn shows the reason for its wait until it continues', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'Hi' });
    let waiting: object | null = { for: 'provider', since: '2026-01-01T12:00:00Z', until: '2026-01-01T12:01:00Z' };
    await using inspector = await open(harness.url);
    await inspector.page.route(`**/v1/turns/${id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), waiting } });
    });
    await inspector.page.goto(`${harness.url}/#/turns/${id}`);
    const line = inspector.page.locator('.wait-note');

    await line.waitFor();
    const text = await line.innerText();
    waiting = null;
    await line.waitFor({ state: 'detached' });

    expect(text).toMatch(/^Waits for its provider, .* · until \d\d:01:00 · 1 min in all$/);
  });

  test('a turn that waits for a batch shows it in words', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: 'Hi' });
    const waiting = { for: 'batch', since: '2026-01-01T12:00:00Z' };
    await using inspector = await open(harness.url);
    await inspector.page.route(`**/v1/turns/${id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), waiting } });
    });

    await inspector.page.goto(`${harness.url}/#/turns/${id}`);

    await inspector.page.getByText('Waits for the result of a batch').waitFor();
  });
});
