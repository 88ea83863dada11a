import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long, summariesAsked } from '../compaction/converse.ts';

const refusal = (status: number, error: Record<string, string | null>) => ({
  kind: 'status' as const,
  status,
  body: { error },
});
const CUT = 'Could not finish the message because max_tokens or model output limit was reached.';

test.each([
  ['max_output_tokens', refusal(400, { message: CUT, code: null })],
  ['content_filter', refusal(400, { code: 'content_filter', message: 'The response was filtered.' })],
])('a turn ends incomplete by %s when the provider reports that as a refusal', async (reason, fault) => {
  await using harness = await createHarness();

  const turn = await harness.runTurn({ input: scripted({ answer: long, final: { fault } }) });

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason }, error: null, output: '' });
  expect(turn.rounds[0]).toMatchObject({ attempts: 1, assistant_response: null });
  expect(harness.modelRequests).toHaveLength(1);
});

test('the error message of another server also triggers a compaction', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', keep_last_rounds: 1 });
  const script = { answer: long, summary: { say: 'They greeted.' } };
  const words = 'Range of input length should be [1, 98304]';
  const fault = refusal(400, { message: words, code: 'invalid_parameter_error' });

  await say(scripted(script));
  await say(scripted(script));
  const turn = await say(scripted({ ...script, final: { fault } }));

  expect(turn).toMatchObject({ compactions: [{ round: 1 }] });
  expect(summariesAsked(harness)).toHaveLength(1);
});

test('no history is compacted when max_tokens is too high', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', keep_last_rounds: 1 });
  const script = { answer: long, summary: { say: 'They greeted.' } };
  const message = "max_tokens is too large: 100000. This model's maximum context length is 8192 tokens.";

  await say(scripted(script));
  await say(scripted(script));
  const turn = await say(scripted({ ...script, final: { fault: refusal(400, { message }) } }));

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_invalid_request' } });
  expect(summariesAsked(harness)).toHaveLength(0);
});
