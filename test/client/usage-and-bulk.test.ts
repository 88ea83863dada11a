import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { runPawl } from '../cli/run-pawl.ts';

test('a bulk is counted, created and awaited', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const input = scripted({ final: { fault: { kind: 'hang' } } });
  const { id } = await pawl.turns.start({ model: 'openai/test', input, metadata: { of: 'bulk' } });
  await pawl.turns.start({ model: 'openai/test', input });
  const request = { action: 'cancel', filter: { metadata: { of: 'bulk' } } } as const;

  const matched = await pawl.bulk.count(request);
  const created = await pawl.bulk.create(request);
  await using _worker = await startBackgroundWorker(harness);
  const ended = await pawl.bulk.wait(created.id);

  expect(matched).toBe(1);
  expect(created).toMatchObject({ status: 'in_progress', matched: 1, left: 1 });
  expect(ended).toMatchObject({ id: created.id, status: 'completed', done: 1, failed: 0 });
  expect(await pawl.bulk.retrieve(created.id)).toEqual(ended);
  expect(await pawl.turns.get(id)).toMatchObject({ status: 'cancelled' });
});

test('usage is returned by groups', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  await pawl.turns.start({ model: 'openai/test', input: 'Hi' });

  const [all] = await pawl.usage.get();
  const byModel = await pawl.usage.get({ from: '2026-01-01', groupBy: ['day', 'model'] });

  expect(all).toMatchObject({ turns: 1, rounds: 0, cost_usd: 0 });
  expect(byModel).toEqual([{ day: expect.any(String), model: 'openai/test', ...all }]);
});

test('the command line counts the turns of a bulk, runs it, and shows the usage', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness);
  const { id } = await harness.startTurn({ input: 'Hi' });
  await harness.untilEnded(id);

  const counted = await runPawl(harness.url, ['bulk', 'retry', '--status', 'completed', '--dry-run']);
  const worked = await runPawl(harness.url, ['bulk', 'retry', '--status', 'completed']);
  const used = await runPawl(harness.url, ['usage', '--by', 'model']);
  const misused = await runPawl(harness.url, ['bulk', 'cancel']);

  expect(counted).toMatchObject({ output: '1 turn matches.\n', exitCode: 0 });
  expect(worked.output).toMatch(/^bulk_\w+: 1 turn\nturn_\w+ {2}turn_not_failed\n0 done, 1 failed\.\n$/);
  expect(worked.exitCode).toBe(1);
  expect(used.output).toMatch(/^openai\/test {2}1 turns, 1 rounds, 0 calls, \d+ \+ \d+ tokens {2}cost unknown\n$/);
  expect(misused).toMatchObject({ exitCode: 2, complaints: expect.stringContaining('The filter is missing') });
});
