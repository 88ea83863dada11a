import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { browserSuite } from './browser-suite.ts';

const counted = (prompt_tokens: number, cached_tokens: number, cache_write_tokens: number) => ({
  ...{ prompt_tokens, completion_tokens: 100 },
  prompt_tokens_details: { cached_tokens, cache_write_tokens },
});

const price = { input: 2, cached_input: 0.5, cache_write: 4, output: 8 };

browserSuite('the page of a turn with cached input', (open) => {
  test.each([
    ['saved', counted(2_000, 1_000, 100), '$0.0013'],
    ['cost', counted(2_000, 0, 2_000), '$0.0040'],
  ])('the page of a turn shows the share from a cache, and how much caching %s', async (word, usage, dollars) => {
    await using harness = await createHarness({ env: { PAWL_PRICES: JSON.stringify({ 'openai/test': price }) } });
    const { id } = await harness.startTurn({ input: scripted({ answer: 'Here.', final: { usage } }) });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    const cached = usage.prompt_tokens_details.cached_tokens;

    const facts = await page.locator('.facts').first().innerText();
    const round = page.locator('.entry', { has: page.getByRole('heading', { name: 'Round 1' }) });
    const meta = await round.locator('.meta').innerText();

    expect(facts).toMatch(new RegExp(`Caching ${word}\\s*${dollars.replace('$', '\\$').replace(/0$/, '0?')}`));
    expect(meta.includes('1,000 (50%) from cache')).toBe(cached > 0);
    expect(problems).toEqual([]);
  });
});
