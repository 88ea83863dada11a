import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { test } from '#test/harness/test.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { knownMetrics } from './known-metrics.ts';

test('an API or a worker reports each metric of rules and dashboard, with its type', async () => {
  await using harness = await createHarness({ env: { PAWL_METRICS_PORT: '0' } });
  await using worker = await startProcess('worker', harness.env);
  const { metrics_url: workerUrl } = await untilLogged(worker, 'process.ready');

  const texts = await Promise.all([harness.url, workerUrl].map(async (url) => (await fetch(`${url}/metrics`)).text()));
  const reported = Object.fromEntries(
    texts.flatMap((text) => [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type])),
  );

  const known = Object.entries(knownMetrics).map(([name, { type }]) => [name, type]);
  expect(reported).toMatchObject(Object.fromEntries(known));
  const ours = Object.keys(reported).filter((name) => name.startsWith('pawl_'));
  expect(ours.sort(), 'enter a new metric into known-metrics.ts, and give it a panel').toEqual(
    Object.keys(knownMetrics)
      .filter((name) => name.startsWith('pawl_'))
      .sort(),
  );
});

test('each label that rules and dashboard use is a reported label', async ({ harness }) => {
  const { metrics } = harness.parts;
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 1 } as never;
  metrics.roundSaved({ project: 'web', model: 'openai/test', durationMs: 1, firstChunkMs: 1, usage });
  metrics.turnEnded('web', 'completed');
  metrics.stepBegun('web', 1);
  metrics.toolAnswered('book', 'success', 1);
  metrics.deliveryAttempted('delivered');
  metrics.retentionDeleted('turn', 1);
  metrics.streamClosed('web');
  metrics.readServed('replica');

  const text = await (await fetch(`${harness.url}/metrics`)).text();

  for (const [name, { type, labels }] of Object.entries(knownMetrics)) {
    const [series = ''] =
      text.match(new RegExp(`^${name}${type === 'histogram' ? '_count' : ''}(?:\\{.*\\})? `, 'm')) ?? [];
    expect([...series.matchAll(/(\w+)="/g)].map(([, label]) => label).sort(), name).toEqual([...labels].sort());
  }
});
