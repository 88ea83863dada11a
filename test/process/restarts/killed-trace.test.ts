import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openOtlpReceiver } from '#test/harness/servers/otlp-receiver.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('the trace of a turn with a killed worker is complete, without repeated spans', {
  timeout: 120_000,
}, async () => {
  await using collector = await openOtlpReceiver();
  await using harness = await createHarness({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const env = { ...harness.env, OTEL_SERVICE_NAME: 'pawl-worker' };
  await using killed = await startProcess('worker', env);
  const calls = ['Rome', 'Oslo'].map((city) => ({ name: 'weather_lookup', arguments: { city } }));
  const input = scripted({
    rounds: [{ tools: calls, think_ms: 300 }],
    answer: 'Sunny.',
    final: { fault: { kind: 'hang', times: 1 } },
  });
  const { id } = await harness.startTurn({ model: 'openai/test', input, tools: ['weather_lookup'] });
  const namesOf = () => collector.spans.map(({ name }) => name).toSorted();
  const begun = ['chat test', 'execute_tool weather_lookup', 'execute_tool weather_lookup'];
  await waitUntil(() => expect(harness.modelRequests.length).toBe(2));
  await waitUntil(async () => expect(await namesOf()).toEqual(begun));

  await killed.kill('SIGKILL');
  await using _other = await startProcess('worker', env);
  await waitUntil(async () => expect((await harness.findTurn(id)).status).toBe('completed'));

  await waitUntil(async () => expect(await namesOf()).toEqual(['chat test', ...begun, 'invoke_agent']));
  const { spans } = collector;
  const agent = spans.find(({ name }) => name === 'invoke_agent')!;
  const inside = spans.filter((span) => span !== agent);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5);
  expect(inside.map(({ parentSpanId }) => parentSpanId)).toEqual(inside.map(() => agent.spanId));
  const answer = inside.find(({ attributes }) => attributes['pawl.round'] === 2);
  const { rounds } = await harness.findTurn(id);
  expect(answer?.attributes).toMatchObject({ 'pawl.attempt': rounds[1]?.attempts });
  expect(new Set(inside.map(({ service }) => service))).toEqual(new Set(['pawl-worker']));
});
