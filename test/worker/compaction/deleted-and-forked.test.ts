import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long, requestedRoles, summariesAsked } from './converse.ts';

const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });

test('a summary is no longer sent after a turn that it covers is deleted', async ({ harness }) => {
  const { say } = await converse(harness, context);
  const [first, , third] = [await say(answer), await say(answer), await say(answer)];

  await harness.call('DELETE', `/v1/responses/resp_${first.id.slice('turn_'.length)}`);
  const after = await say('And now?', { context: { strategy: 'none' } });

  expect((await harness.findTurn(third.id)).compactions).toMatchObject([
    { summary: null, usage: { output_tokens: 4 } },
  ]);
  expect(JSON.stringify(harness.modelRequests.at(-1)?.body)).not.toContain('so far, which stands');
  expect(after.status).toBe('completed');
});

test('a summary that is written after a turn was deleted omits that turn', async ({ harness }) => {
  const { path, say } = await converse(harness, context);
  const input = scripted({ answer: long, summary: { say: 'They said: {{conversation}}' } });
  const first = await say(scripted({ answer: `The secret is 4711. ${long}` }));
  await say(scripted({ answer: long }));

  await harness.call('DELETE', `/v1/responses/resp_${first.id.slice('turn_'.length)}`);
  await say(scripted({ answer: long }));
  const later = await say(input, { context: { ...context, keep_last_rounds: 1 } });
  const { body: sent } = await harness.call('GET', `${path}/messages?view=sent`);

  expect(later.compactions).toHaveLength(1);
  expect(summariesAsked(harness)).not.toHaveLength(0);
  expect(JSON.stringify(summariesAsked(harness).map(({ body }) => body))).not.toContain('4711');
  expect(JSON.stringify([later, sent])).not.toContain('4711');
});

test('a response after a compacted turn is based on its summary, an earlier is not', async ({ harness }) => {
  const { say } = await converse(harness, context);
  const [, second, third] = [await say(answer), await say(answer), await say(answer)];
  const ask = async (previous: string) => {
    const previous_response_id = `resp_${previous.slice('turn_'.length)}`;
    const body = { model: 'openai/test', input: 'And now?', previous_response_id, background: true };
    expect((await harness.call('POST', '/v1/responses', { body })).status).toBe(200);
    await harness.workUntilIdle();
    return harness.modelRequests.at(-1)!;
  };

  const behind = await ask(third.id);
  const before = await ask(second.id);

  expect(requestedRoles(behind)).toBe('user user assistant user assistant user');
  expect(JSON.stringify(behind.body)).toContain('They greeted.');
  expect(requestedRoles(before)).toBe('user assistant user assistant user');
  expect(JSON.stringify(before.body)).not.toContain('so far, which stands');
  expect(summariesAsked(harness)).toHaveLength(1);
});

test('the usage of a response includes its summary', async ({ harness }) => {
  const { say } = await converse(harness, context);
  await say(answer);
  await say(answer);
  const { id, usage } = await say(answer);

  const { body } = await harness.call<{ usage: object }>('GET', `/v1/responses/resp_${id.slice('turn_'.length)}`);

  expect(body.usage).toMatchObject({ total_tokens: usage.total_tokens, output_tokens: usage.output_tokens });
});
