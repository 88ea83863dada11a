import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { openOtlpReceiver } from '#test/harness/servers/otlp-receiver.ts';
import { traced } from './traced.ts';

test('a configured sampler decides which traces are exported', async () => {
  await using at = await traced({ OTEL_TRACES_SAMPLER: 'always_off' });

  await at.harness.runTurn({ input: 'Hi' });

  expect(await at.received()).toEqual([]);
});

test('an unreachable or refusing collector does not affect a turn', async () => {
  await using refusing = await openOtlpReceiver({ status: 400 });
  for (const url of ['http://127.0.0.1:9', refusing.url]) {
    await using harness = await createHarness({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });

    const turn = await harness.runTurn({ input: 'Hi' });

    expect(turn).toMatchObject({ status: 'completed' });
  }
});

test.for([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, /OTEL_EXPORTER_OTLP_ENDPOINT is not a valid URL/],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL: give http\/protobuf or http\/json/],
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /OTEL_TRACES_SAMPLER: give one of/],
  [{ OTEL_BSP_SCHEDULE_DELAY: 'soon' }, /OTEL_BSP_SCHEDULE_DELAY: give a whole number/],
] as const)('an invalid trace setting ends the start: %j', async ([env, sentence]) => {
  await expect(createHarness({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...env } })).rejects.toThrow(
    sentence,
  );
});
