import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const answer = '## Warm\n\nIt is **sunny** <img src=x onerror="window.wasRun = 1"> in [Tokyo](javascript:alert(1)).';

async function startConversation({ call }: Harness): Promise<string> {
  const { body } = await call<{ id: string }>('POST', '/v1/conversations', {
    body: { model: 'openai/test', tools: ['weather_lookup'] },
  });
  return body.id;
}

browserSuite('a conversation', (open) => {
  test('a conversation shows folded rounds, Markdown, streamed text and a draft', async () => {
    await using harness = await createHarness();
    await using _worker = await startBackgroundWorker(harness);
    const id = await startConversation(harness);
    await using inspector = await open(`${harness.url}/#/conversations/${id}`);
    const { page, problems } = inspector;
    const field = page.getByLabel('Message');
    const turns = page.locator('.thread-turn');

    await field.fill(scripted({ rounds: [{ say: 'Let me look.', tools: [look] }], answer }));
    await page.reload();
    const kept = await field.inputValue();
    await field.press('Enter');
    await turns.first().getByRole('heading', { name: 'Warm' }).waitFor();
    await turns.first().getByText('1 round · weather_lookup').click();
    await turns.first().locator('.call summary').click();
    await turns.first().getByText('Let me look.', { exact: true }).waitFor();
    await turns.first().getByText('Completed').waitFor();
    await field.pressSequentially('Say');
    await field.press('Shift+Enter');
    await field.pressSequentially('hello.');
    await field.press('Enter');
    await turns.nth(1).getByText('Completed').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    const isAtTurn = await turns.first().evaluate((turn) => turn.matches(':focus'));
    await page.keyboard.press('r');

    expect([isAtTurn, await field.evaluate((box) => box.matches(':focus'))]).toEqual([true, true]);
    expect(kept).toContain('Let me look.');
    expect(await turns.first().locator('.reply').innerText()).toContain('<img src=x');
    expect(await turns.first().locator('.reply :is(img, a)').count()).toBe(0);
    expect(await turns.nth(1).locator('.bubble').innerText()).toBe('Say\nhello.');
    expect(await field.inputValue()).toBe('');
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('a running turn streams and can be interrupted, and a scroll up loads older turns', async ({ harness }) => {
    const id = await startConversation(harness);
    for (let number = 1; number <= 18; number += 1) {
      await harness.call('POST', `/v1/conversations/${id}/turns`, {
        body: { input: `Number ${number}`, on_active_turn: 'enqueue' },
      });
    }
    await harness.workUntilIdle();
    const say = 'A long answer that is written slowly, word by word, until it is done at last.';
    const slow = scripted({ rounds: [], answer: say, final: { pace_ms: 400, piece_chars: 8 } });
    await using inspector = await open(`${harness.url}/#/conversations/${id}`, { width: 375 });
    const { page, problems } = inspector;
    await page.getByText('Number 18', { exact: true }).waitFor();
    const before = await page.locator('.thread-turn').count();

    await page.locator('.thread-turn').first().scrollIntoViewIfNeeded();
    await page.getByRole('heading', { name: 'Number 1', exact: true }).waitFor();
    await using _worker = await startBackgroundWorker(harness);
    await page.getByLabel('Message').fill(slow);
    await page.getByLabel('Message').press('Enter');
    await page.locator('.streaming', { hasText: 'A long' }).waitFor();
    await page.getByText('Interrupt', { exact: true }).click();
    await page.getByLabel('Message').fill('Stop.');
    await page.getByLabel('Message').press('Enter');
    await page.locator('.thread-turn').last().getByText('Completed').waitFor();

    expect(before).toBe(15);
    expect(await page.locator('.thread-foot .badge').allInnerTexts()).toEqual([
      ...Array(18).fill('Completed'),
      'Cancelled',
      'Completed',
    ]);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a joined input is shown at its round, and an edited input starts a conversation', async ({ harness }) => {
    const id = await startConversation(harness);
    await harness.call('POST', `/v1/conversations/${id}/turns`, { body: { input: 'My name is Ada.' } });
    await harness.workUntilIdle();
    const input = scripted({ rounds: [{ tools: [look] }], answer: 'Warm.' });
    await harness.call('POST', `/v1/conversations/${id}/turns`, { body: { input } });
    await harness.workOnce();
    await using inspector = await open(`${harness.url}/#/conversations/${id}`);
    const { page, problems } = inspector;
    const last = page.locator('.thread-turn').nth(1);
    const say = async (way: string, text: string) => {
      await page.getByText(way, { exact: true }).click();
      await page.getByLabel('Message').fill(text);
      await page.getByLabel('Message').press('Enter');
    };

    await say('Steer', 'In Celsius, please.');
    await last.locator('.pending').getByText('In Celsius, please.').waitFor();
    await say('Wait', 'And then');
    await page.locator('.thread-turn').nth(2).getByText('And then').waitFor();
    await say('Wait', 'in Oslo?');
    await page.locator('.thread-turn').nth(2).getByText('in Oslo?').waitFor();
    await last.getByRole('button', { name: 'Edit and ask again' }).first().click();
    await page.getByLabel('Ask this instead').fill('Half written');
    await last.locator('details.work > summary').click();
    await harness.workUntilIdle();
    await last.getByText('Completed').waitFor();
    const isStillOpen = await last
      .locator('details.work')
      .first()
      .evaluate((work) => work.hasAttribute('open'));
    const halfWritten = await page.getByLabel('Ask this instead').inputValue();
    await page.getByLabel('Ask this instead').press('Escape');
    await last.getByText('Joined before round 2').waitFor();
    const kinds = await last.locator('> *').evaluateAll((all) => all.map(({ className }) => className.split(' ')[0]));
    await last.getByRole('button', { name: 'Edit and ask again' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Ask this instead').fill('What is my name?');
    await page.getByLabel('Ask this instead').press('Enter');
    await page.getByText('Forked from another conversation').waitFor();
    await harness.workUntilIdle();
    await page.getByText('Completed').waitFor();

    expect(await page.locator('.thread-turn').count()).toBe(1);
    expect([halfWritten, isStillOpen]).toEqual(['Half written', true]);
    expect(kinds.slice(0, 3)).toEqual(['asked', 'work', 'asked']);
    expect(page.url()).not.toContain(id);
    expect(JSON.stringify(harness.modelRequests.at(-1)?.body)).toMatch(/My name is Ada.*What is my name\?/);
    expect(JSON.stringify(harness.modelRequests.at(-1)?.body)).not.toContain('Celsius');
    expect(problems).toEqual([]);
  });
});
