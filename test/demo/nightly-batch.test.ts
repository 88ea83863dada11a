import { expect } from 'vitest';
import { isTerminal } from '#core/turn/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { HOUR_MS, MODELS, pass, test } from '../worker/batches/batch-turns.ts';
import { runScript } from './run-script.ts';

const runExample = ({ url }: Harness) =>
  runScript(['examples/nightly-batch.ts'], { PAWL_URL: url, PAWL_MODEL: MODELS.chat });

async function turnsOf({ call }: Harness) {
  return (await call<{ data: { status: string }[] }>('GET', '/v1/turns?limit=100')).body.data;
}

/** Lets a day pass, and then minutes until the turns of the night have ended. */
async function passNight(harness: Harness): Promise<void> {
  await harness.advance(24 * HOUR_MS);
  await harness.fireSchedules();
  await harness.workUntilIdle();
  for (let minutes = 0; minutes < 30; minutes += 1) {
    if ((await turnsOf(harness)).every(({ status }) => isTerminal(status as 'completed'))) return;
    await pass(harness);
  }
}

test('the example of a nightly batch creates its schedules once and shows reports', async ({ harness }) => {
  const first = await runExample(harness);
  await passNight(harness);
  const second = await runExample(harness);

  expect([first.complaints, second.complaints]).toEqual(['', '']);
  expect(first.output.match(/^\w+: created, next at \S+T\S+Z\. No report yet\.$/gm)).toHaveLength(20);
  expect(second.output.match(/^\w+: kept, next at \S+\. The report cost \$0\.00\d+: \S/gm)).toHaveLength(20);
  expect((await turnsOf(harness)).map(({ status }) => status)).toEqual(Array(20).fill('completed'));
  expect(harness.keptBatches.created.map(({ requests }) => requests.length)).toEqual([20]);
  expect(harness.modelRequests).toEqual([]);
});
