import { expect, test } from 'vitest';
import { describeQueue } from '#test/harness/queues.ts';
import { openCutHarness } from '#test/llm/open-cut-harness.ts';
import { completing, user } from './completing.ts';
import { contentOf, deltasOf, openCompletionStream } from './completion-stream.ts';

const body = { messages: [user('Hi')] };

/**
 * Streams a completion. Its first run is lost within its text. The second stream receives committed text only. Both
 * streams then receive the text of the second run.
 */
async function streamLostRun(harness: Awaited<ReturnType<typeof openCutHarness>>['harness']) {
  const open = (headers: Record<string, string> = {}) =>
    openCompletionStream(harness, { body, headers: { 'idempotency-key': 'one', ...headers } });
  const live = await open();
  await live.until((chunks) => chunks.length === 1);
  const { id } = live.chunks()[0]!;
  const committed = await open({ 'pawl-stream': 'committed' });
  const lost = harness.workOnce();
  await live.until((chunks) => contentOf(chunks) === 'Half a sen');
  await harness.advance(7_000);
  await harness.rescue();
  await harness.workOnce();
  await Promise.all([live.over, committed.over]);
  harness.worker.heartbeat.stop('lost', id.replace('chatcmpl-', 'turn_'));
  await lost;
  return { id, live, committed, open };
}

describeQueue(({ redis }) => {
  test('a stream continues if the reply after a lost worker is equal', async () => {
    await using opened = await openCutHarness(redis, ['Half ', 'a sentence.']);

    const { id, live, committed } = await streamLostRun(opened.harness);

    for (const stream of [live, committed]) {
      expect(stream.text()).toBe('Half a sentence.');
      expect(stream.frames.at(-1)).toBe('data: [DONE]');
    }
    const { completions } = completing(opened.harness);
    expect((await completions.retrieve(id)).choices).toMatchObject([{ message: { content: 'Half a sentence.' } }]);
    expect(opened.server.asked).toHaveLength(2);
  });

  test('a stream ends with stream_superseded if the reply after a lost worker differs', async () => {
    await using opened = await openCutHarness(redis, ['Half of it.']);

    const { id, live, committed, open } = await streamLostRun(opened.harness);

    expect(live.chunks().at(-1)).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param: null, code: 'stream_superseded' },
    });
    expect(live.frames).not.toContain('data: [DONE]');
    expect(live.text()).toBe('Half a sen');
    expect(deltasOf(committed.chunks()).flatMap(({ content }) => content || [])).toEqual(['Half of it.']);
    expect(committed.frames.at(-1)).toBe('data: [DONE]');
    const again = await open();
    await again.over;
    expect([again.text(), again.frames.at(-1), again.chunks()[0]?.id]).toEqual(['Half of it.', 'data: [DONE]', id]);
    const { completions } = completing(opened.harness);
    expect((await completions.retrieve(id)).choices).toMatchObject([{ message: { content: 'Half of it.' } }]);
    expect(opened.server.asked).toHaveLength(2);
  });
});
