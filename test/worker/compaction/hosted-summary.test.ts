import { expect } from 'vitest';
import { addHosted } from '#test/harness/add-hosted.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { makeSearch } from '#test/turn/hosted/make-hosted.ts';
import { converse, long, summariesAsked } from './converse.ts';

test('the model of a summary reads notes about hosted calls', async ({ harness }) => {
  addHosted(harness, { calls: [makeSearch({ output: 'Bern has 137,000 people.' })] });
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });

  for (const _ of [1, 2, 3]) await say(answer);
  const [asked] = summariesAsked(harness);

  expect(JSON.stringify(asked?.body.messages)).toMatch(/The provider ran web_search .*Bern has 137,000 people/);
});
