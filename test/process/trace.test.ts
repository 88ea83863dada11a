import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { SpanAttributes, SpanName, Tracer } from '#services/process/trace.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';

type RecordedSpan = { name: SpanName; attributes: SpanAttributes; within: RecordedSpan | undefined; error?: unknown };

/** Records spans, each with the one that it lies in. */
function recordSpans(): { spans: RecordedSpan[]; tracer: Tracer } {
  const spans: RecordedSpan[] = [];
  const open = new AsyncLocalStorage<RecordedSpan>();
  const tracer: Tracer = {
    span: async (name, attributes, run) => {
      const span: RecordedSpan = { name, attributes, within: open.getStore() };
      spans.push(span);
      try {
        return await open.run(span, run);
      } catch (error) {
        span.error = error;
        throw error;
      }
    },
  };
  return { spans, tracer };
}

/** `pawl.job > pawl.tool_call`, with what distinguishes spans of one name. */
function pathOf({ name, attributes, within }: RecordedSpan): string {
  const detail = attributes['pawl.job'] ?? attributes['pawl.verb'] ?? attributes['pawl.tool'];
  const own = detail ? `${name} ${detail}` : name;
  return within ? `${pathOf(within)} > ${own}` : own;
}

test('a tracer sees each job of a turn, and in it the request, the call, the checkpoint and the delivery', async () => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer();
  const { spans, tracer } = recordSpans();
  harness.worker.tracer = tracer;
  const call = { name: 'weather_lookup', arguments: { city: 'Rome' } };
  const input = scripted({ rounds: [{ tools: [call] }], answer: 'Sunny.' });

  const webhook = { url: receiver.url };
  const { id } = await harness.startTurn({ input, tools: ['weather_lookup'], webhook });
  await harness.workUntilIdle();

  expect(spans.map(pathOf)).toEqual([
    'pawl.job run-round',
    'pawl.job run-round > pawl.model_request',
    'pawl.job run-round > pawl.checkpoint saveRound',
    'pawl.job run-tool-batch',
    'pawl.job run-tool-batch > pawl.tool_call weather_lookup',
    'pawl.job run-tool-batch > pawl.checkpoint saveResults',
    'pawl.job run-round',
    'pawl.job run-round > pawl.model_request',
    'pawl.job run-round > pawl.checkpoint endWithRound',
    'pawl.job deliver-webhook',
    'pawl.job deliver-webhook > pawl.delivery',
    'pawl.job deliver-webhook > pawl.delivery > pawl.checkpoint saveDelivery',
  ]);
  const ofTurn = spans.filter(({ name, attributes }) => name !== 'pawl.job' || attributes['pawl.step']);
  expect(ofTurn.map(({ attributes }) => attributes['pawl.turn_id'])).toEqual(ofTurn.map(() => id));
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toMatch(/Rome|Sunny|127\.0\.0\.1/);
});

test('a failed request is an error of its span, and the turn goes on as it does without a tracer', async () => {
  await using harness = await createHarness();
  const { spans, tracer } = recordSpans();
  harness.worker.tracer = tracer;
  const fault = { kind: 'status' as const, status: 401 };

  const { id } = await harness.startTurn({ input: scripted({ final: { fault } }) });
  await harness.workUntilIdle();

  const failed = spans.filter(({ error }) => error !== undefined);
  expect(failed.map(pathOf)).toEqual(['pawl.job run-round > pawl.model_request']);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'failed' });
});
