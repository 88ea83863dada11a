import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long } from '#test/worker/compaction/converse.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('a turn whose history was compacted', (open) => {
  test('the timeline says where, from how many tokens to how many, and what is sent instead', async ({ harness }) => {
    const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
    const answer = scripted({ answer: long, summary: { say: 'They greeted <b>each other</b>.' } });
    await say(answer);
    await say(answer);
    const { id, compactions } = await say(answer);
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'History was compacted here' }).waitFor();

    const [made] = compactions ?? [];
    const entry = page.locator('.entry', { hasText: 'History was compacted here' });
    const meta = await entry.locator('.meta').innerText();
    await entry.locator('summary', { hasText: 'Summary by openai/test' }).click();

    expect(meta).toContain(
      `${made?.before_tokens.toLocaleString('en')} → ${made?.after_tokens.toLocaleString('en')} tokens`,
    );
    expect(await entry.locator('.said').innerText()).toBe('They greeted <b>each other</b>.');
    expect(problems).toEqual([]);
  });
});
