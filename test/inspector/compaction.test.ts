import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long } from '#test/worker/compaction/converse.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('the page of a turn with a compaction', (open) => {
  test('the timeline shows a compaction with its tokens before and after and its summary', async ({ harness }) => {
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
