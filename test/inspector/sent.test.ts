import { expect, test } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { browserSuite } from './browser-suite.ts';
import { openTurn } from './open-turn.ts';

const call = { name: 'weather_lookup', arguments: { city: 'Tokyo' }, id: 'call_1' };
const input = scripted({ rounds: [{ say: 'Let me look.', tools: [call] }], answer: 'It is sunny.' });

browserSuite('the requests of a turn', (open) => {
  test('each round shows its request to the model, which is loaded when it is opened', async () => {
    await using opened = await openTurn(open, { input, tools: ['weather_lookup'], instructions: 'You are brief.' });
    const { page } = opened;
    const sent = page.locator('.entry', { has: page.getByRole('heading', { name: 'Round 2' }) }).locator('.sent');

    await sent.getByText('Request to the model').click();
    await sent.locator('.message').first().waitFor();

    const roles = await sent.locator('.role').allInnerTexts();
    expect(roles).toEqual(['instructions', 'user', 'assistant', 'assistant', 'tool call_1']);
    expect(await sent.locator('.message').nth(3).innerText()).toContain('weather_lookup({"city":"Tokyo"})');
    expect(await sent.getByText('weather_lookup', { exact: true }).count()).toBe(1);
  });

  test('a turn shows its settings', async () => {
    await using opened = await openTurn(open, { input: 'Hi', instructions: 'You are brief.', temperature: 0.5 });
    const { page } = opened;

    await page.getByText('Settings of the turn').click();

    const config = page.locator('.fold', { hasText: 'Settings of the turn' });
    await config.getByText('You are brief.').waitFor();
    expect(await config.innerText()).toContain('openai/test');
    expect(await config.innerText()).toContain('0.5');
  });

  test('a turn is deleted after a question, and stays without an answer', async () => {
    await using opened = await openTurn(open, { input: 'Hi' });
    const { harness, id, page } = opened;
    const status = async () => (await harness.call('GET', `/v1/turns/${id}`)).status;

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Leave it' }).click();
    expect(await status()).toBe(200);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('heading', { name: 'Turns', exact: true }).waitFor();

    expect(await status()).toBe(404);
  });
});
