import { expect } from 'vitest';
import { createHarness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';

const read = async (url: string, key?: string) => {
  const response = await fetch(`${url}/metrics`, key ? { headers: { authorization: `Bearer ${key}` } } : {});
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

test('metrics report active turns, streams and jobs', async ({ harness }) => {
  await harness.startTurn({ input: 'Hi' });

  const { text } = await read(harness.url);

  expect(text).toContain('pawl_turns_active{status="queued"} 1\n');
  expect(text).toContain('pawl_turns_active{status="requires_action"} 0\n');
  expect(text).toContain('pawl_turns_late 0\n');
  expect(text).toContain('pawl_streams 0\n');
  expect(text).toMatch(/pawl_jobs\{state="prioritized"\} 1\n/);
});

test('metrics count a turn once, even if its jobs are delivered repeatedly', async () => {
  const prices = '{"openai/test":{"input":1000000,"output":1000000}}';
  await using harness = await createHarness({ env: { PAWL_PRICES: prices } });
  await using receiver = await openExternalServer();
  const details = { prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 2 } };
  const counted = { prompt_tokens: 10, completion_tokens: 5, ...details };
  const input = scripted({
    rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }], usage: counted }],
  });
  const { id } = await harness.startTurn({
    ...{ model: 'openai/test', input, tools: ['weather_lookup'], webhook: { url: receiver.url } },
  });

  await harness.workUntilIdle({ deliveries: 3 });
  const { usage } = await harness.findTurn(id);
  const { text, type } = await read(harness.url);

  const at = 'project="default",provider="openai",model="openai/test"';
  expect(type).toMatch(/^text\/plain/);
  expect(text).toContain('pawl_turns_total{project="default",status="completed"} 1\n');
  expect(text).toContain(`pawl_rounds_total{${at}} 2\n`);
  expect(text).toContain('pawl_round_attempts_total{provider="openai",model="openai/test",outcome="success"} 2\n');
  expect(text).toContain(`pawl_tokens_total{${at},direction="input"} ${usage.input_tokens}\n`);
  expect(text).toContain(`pawl_tokens_total{${at},direction="output"} ${usage.output_tokens}\n`);
  expect(text).toContain(`pawl_tokens_total{${at},direction="cached_input"} 7\n`);
  expect(text).toContain(`pawl_tokens_total{${at},direction="cache_write"} 2\n`);
  expect(text).toContain(`pawl_cost_usd_total{project="default",model="openai/test"} ${usage.cost_usd}\n`);
  expect(text).toContain('pawl_round_duration_seconds_count{provider="openai",model="openai/test"} 2\n');
  expect(text).toContain('pawl_time_to_first_chunk_seconds_count{provider="openai",model="openai/test"} 2\n');
  expect(text).toContain('pawl_tool_duration_seconds_count{tool="weather_lookup",outcome="success"} 1\n');
  expect(text).toContain('pawl_deliveries_total{outcome="delivered"} 1\n');
  expect(text).toMatch(/pawl_queue_wait_seconds_count\{project="default"\} [3-9]\n/);
  expect(text).toContain('pawl_rescues_total 0\n');
  expect(text).toMatch(/pawl_event_loop_delay_seconds_count \d+\n/);
});

test('metrics count a failed attempt by its code, and a repeated cancel once', async ({ harness }) => {
  const fault = { kind: 'status' as const, status: 503, times: 1 };
  const failing = await harness.startTurn({ input: scripted({ final: { fault } }) });
  await workUntilEnded(harness, failing.id);
  const { id } = await harness.startTurn({ input: 'Hi' });
  for (const _ of [1, 2]) await harness.call('POST', `/v1/turns/${id}/cancel`);

  const { text } = await read(harness.url);

  expect(text).toMatch(/pawl_round_attempts_total\{.*,outcome="provider_[a-z_]+"\} 1\n/);
  expect(text).toContain('pawl_turns_total{project="default",status="completed"} 1\n');
  expect(text).toContain('pawl_turns_total{project="default",status="cancelled"} 1\n');
});

test('metrics name the first hundred projects, models and tools, and add up the rest', async ({ harness }) => {
  const { metrics } = harness.parts;

  for (let index = 1; index <= 150; index += 1) metrics.turnEnded(`project-${index}`, 'completed');
  const { text } = await read(harness.url);

  expect(text.match(/^pawl_turns_total\{project="project-/gm)).toHaveLength(100);
  expect(text).toContain('pawl_turns_total{project="other",status="completed"} 50\n');
});

test('metrics require PAWL_METRICS_KEY if set, and are open on loopback otherwise', async () => {
  const admin = { alpha: { keys: [{ key: 'key-of-admin', scopes: ['admin'] }] } };
  const keys = { PAWL_API_KEYS: 'alpha:key-of-alpha', PAWL_PROJECTS: JSON.stringify(admin) };
  await using open = await createHarness({ env: keys });
  await using closed = await createHarness({ env: { ...keys, PAWL_METRICS_KEY: 'key-of-metrics' } });

  expect(await read(open.url)).toMatchObject({ status: 200 });
  expect(await read(closed.url)).toMatchObject({ status: 401 });
  expect(await read(closed.url, 'another')).toMatchObject({ status: 401 });
  expect(await read(closed.url, 'key-of-alpha')).toMatchObject({ status: 403 });
  expect(await read(closed.url, 'key-of-metrics')).toMatchObject({ status: 200 });
  expect(await read(closed.url, 'key-of-admin')).toMatchObject({ status: 200 });
});

test('metrics on a public host require a key, even without PAWL_METRICS_KEY', async () => {
  await using harness = await createHarness({ env: { HOST: '0.0.0.0', PAWL_API_KEYS: 'alpha:key-of-alpha' } });

  expect(await read(harness.url)).toMatchObject({ status: 401 });
  expect(await read(harness.url, 'key-of-alpha')).toMatchObject({ status: 403 });
});
