import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';

const long = 'word '.repeat(200).trim();

async function converse(harness: Harness, context: object, more: object = {}) {
  const { body } = await harness.call('POST', '/v1/conversations', {
    body: { model: 'openai/test', context, ...more },
  });
  const path = `/v1/conversations/${body.id}`;
  const say = async (input: string, own: object = {}) => {
    const { body: turn } = await harness.call<TurnResource>('POST', `${path}/turns`, { body: { input, ...own } });
    await harness.workUntilIdle();
    return harness.findTurn(turn.id);
  };
  return { path, say };
}

const lastMessages = (harness: Harness) =>
  harness.modelRequests.at(-1)?.body.messages.map(({ role, content }) => [role, content]);

test('before a request that would be too large, older rounds become a summary, and later turns go on from there', async () => {
  await using harness = await createHarness();
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });

  const turns = [await say(answer), await say(answer), await say(answer), await say(answer)];
  const compacted = turns.find(({ compactions }) => compactions);

  expect(compacted?.compactions).toEqual([
    expect.objectContaining({ round: 1, strategy: 'summarize', summary: 'They greeted.' }),
  ]);
  expect(lastMessages(harness)?.slice(0, 1)).toEqual([['user', expect.stringContaining('They greeted.')]]);
  expect(await harness.listEvents(compacted!.id)).toEqual([]);
});
