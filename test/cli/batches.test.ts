import { expect } from 'vitest';
import { storeBatch, storeBatchRequest } from '#test/api/operations/store-batch.ts';
import { test } from '#test/harness/test.ts';
import { runPawl } from './run-pawl.ts';

test('pawl batches shows the batches and the waiting rounds', async ({ harness }) => {
  const sent = await storeBatch(harness.db, { number: 1, state: 'sent', requests: 3 });
  const open = await storeBatch(harness.db, { number: 2, state: 'open' });
  await storeBatchRequest(harness.db, 'a', { batchId: sent, state: 'sent' });
  await storeBatchRequest(harness.db, 'b', { batchId: open, state: 'waiting' });
  await storeBatchRequest(harness.db, 'c', { batchId: null, state: 'waiting' });

  const { output, complaints, exitCode } = await runPawl(harness.url, ['batches']);
  const json = await runPawl(harness.url, ['batches', '--json']);

  expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 });
  const [first, second, waiting, ...rest] = output.split('\n');
  expect(first).toMatch(/^batch_\w+ {2}open .* openai\/test {2}0 of 1 answered {2}refused: provider_rate_limited$/);
  expect(second).toMatch(/^batch_\w+ {2}sent .* openai\/test {2}2 of 3 answered$/);
  expect(waiting).toMatch(/^openai\/test {2}1 round waits for a batch, at most \d+ s so far$/);
  expect(rest).toEqual(['']);
  expect(
    json.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).object),
  ).toEqual([...['batch', 'batch', 'batch.waiting']]);
});
