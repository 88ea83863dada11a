import { expect } from 'vitest';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { runScript } from './run-script.ts';

test('the example of responses survives a kill of all processes, with the stored text', async () => {
  const { output, complaints, exitCode } = await runScript(['examples/responses.ts'], {
    PORT: String(await findFreePort()),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });

  expect(complaints).toBe('');
  expect(output).toContain('[SIGKILL: API, worker and PostgreSQL are dead]');
  expect(output).toMatch(/requesting the events after number \d+/);
  expect(output).toMatch(/\[completed\] (\d+) characters in deltas, \1 stored\nThey are the same\./);
  expect(exitCode).toBe(0);
});

test('the example of structured output shows a repaired answer', async ({ harness }) => {
  await using _ = await startBackgroundWorker(harness);

  const { output, complaints, exitCode } = await runScript(['examples/structured.ts'], { PAWL_URL: harness.url });

  expect(complaints).toBe('');
  expect(output).toBe(
    'round 1 did not match the schema: {"city":"Lisbon","days":"three"}\n[completed] { city: \'Lisbon\', days: 3 }\n',
  );
  expect(exitCode).toBe(0);
});

test('the example of an image shows the URL of its blob', async ({ harness }) => {
  await using _ = await startBackgroundWorker(harness);

  const { output, complaints } = await runScript(['examples/image.ts'], { PAWL_URL: harness.url });

  expect(complaints).toBe('');
  expect(output).toMatch(/^\[completed\] .*What do you see\?.*\nthe picture: http.*\/v1\/blobs\/[0-9a-f]{64}\n$/);
});

test('the example of a fallback shows both models', async ({ harness }) => {
  await using _ = await startBackgroundWorker(harness);

  const { output, complaints } = await runScript(['examples/fallback.ts'], { PAWL_URL: harness.url });

  expect(complaints).toBe('');
  expect(output).toBe(
    'sim/first failed with provider_authentication_failed, now asking sim/second\n[completed] sim/second: The second model answers.\n',
  );
});

test('the example of a long conversation stays within its window', async ({ harness }) => {
  await using _ = await startBackgroundWorker(harness);

  const { output, complaints } = await runScript(['examples/long-conversation.ts'], { PAWL_URL: harness.url });

  expect(complaints).toBe('');
  const sizes = [...output.matchAll(/^turn \d: (\d+) tokens in/gm)].map(([, tokens]) => Number(tokens));
  expect(sizes).toHaveLength(8);
  expect(Math.max(...sizes)).toBeLessThan(4_000);
  expect(output).toContain('history shortened');
});
