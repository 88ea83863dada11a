import { expect } from 'vitest';
import { enter, test, untilEnded } from './batch-turns.ts';

test('a round by batch counts its whole duration, and no time to a first chunk', async ({ harness }) => {
  const { id } = await enter(harness, {});
  await untilEnded(harness, id);

  const metrics = await (await fetch(`${harness.url}/metrics`)).text();

  expect(metrics).toMatch(/^pawl_round_duration_seconds_count\{.*\} 1$/m);
  expect(metrics).not.toMatch(/^pawl_time_to_first_chunk_seconds_count\{.*\} [1-9]/m);
});
