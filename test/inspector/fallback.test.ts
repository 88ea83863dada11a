import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('the page of a turn that changed its model', (open) => {
  test('a turn with a dead first model shows the model that answered, and its cost', async () => {
    await using first = await startWireServer();
    const prices = { 'openai/second': { input: 2, output: 8 } };
    const env = {
      PAWL_PROVIDERS: JSON.stringify({ first: { kind: 'openai', base_url: first.origin } }),
      PAWL_PRICES: JSON.stringify(prices),
    };
    await using harness = await createHarness({ env });
    const [begun = ''] = openaiWire.reply({ text: ['Half a sen'] });
    first.answer({
      body: [begun, `data: ${JSON.stringify({ error: { message: 'Overloaded', code: 'overloaded' } })}\n\n`],
    });
    const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
    const { id } = await harness.startTurn({
      ...{ model: 'first/model', fallback_models: ['openai/second'] },
      input: scripted({ answer: 'Second here.', final: { usage } }),
    });
    await harness.workUntilIdle();
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();

    const change = page.locator('.entry.bad');
    const round = page.locator('.entry', { has: page.getByRole('heading', { name: 'Round 1' }) });

    expect(await change.getByRole('heading').innerText()).toBe('first/model cannot answer');
    expect(await change.innerText()).toMatch(/Pawl asks openai\/second instead[\s\S]*provider_overloaded/);
    expect(await round.locator('.meta').innerText()).toMatch(
      /^openai\/second · tokens 1,000 in, 100 out · \$0\.0028 · /,
    );
    expect(await page.locator('.facts').first().innerText()).toContain('$0.0028');
    expect(problems).toEqual([]);
  });
});
