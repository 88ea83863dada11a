import { expect, test } from 'vitest';
import { makeStepLog } from '../../demo/step-log.ts';

const round = (number: number, attempt: number) => ({ event: 'round.started', round: number, attempt });

test('a step waits for its worker if the event arrives before the log line', async () => {
  const steps = makeStepLog();

  const named = steps.workerOf({ kind: 'batch', round: 1 });
  steps.record(round(1, 1), 'worker 1');
  steps.record({ event: 'tool_calls.started', round: 1 }, 'worker 2');

  expect(await named).toBe('worker 2');
});

test('a second attempt of a round names its own worker after the first was killed', async () => {
  const steps = makeStepLog();
  steps.record(round(3, 1), 'worker 1');

  const second = steps.workerOf({ kind: 'round', round: 3, attempt: 2 });
  steps.record(round(3, 2), 'worker 2');

  expect(await second).toBe('worker 2');
  expect(await steps.workerOf({ kind: 'round', round: 3, attempt: 1 })).toBe('worker 1');
});
