import { test as base } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { openOtlpReceiver } from '#test/harness/servers/otlp-receiver.ts';

const prices = '{"openai/test":{"input":1,"output":1}}';

/** Opens a harness that sends its spans to a collector. `received` returns the spans after all have been sent. */
export async function traced(env: Record<string, string> = {}) {
  const receiver = await openOtlpReceiver();
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, PAWL_PRICES: prices, ...env };
  const harness = await createHarness({ env: given });
  const received = async () => {
    await harness.parts.tracer.close();
    return receiver.spans;
  };
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  };
  return { harness, receiver, received, [Symbol.asyncDispose]: dispose };
}

/** A test that can use `at`: a traced harness with the ordinary settings. */
export const test = base.extend('at', opening(traced));
