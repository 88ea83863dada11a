import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { runPawl } from './run-pawl.ts';

const model = ['--model', 'openai/test'];

test('run asks on the given service tier', async ({ harness, worker: _ }) => {
  const tier = ['--service-tier', 'flex', '--tier-fallback', 'default'];
  const { output, complaints, exitCode } = await runPawl(harness.url, ['run', 'Hi', ...model, ...tier]);

  const id = /turn_\w+/.exec(output)?.[0];
  expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 });
  const { body } = await harness.call('GET', `/v1/turns/${id}?include=config`);
  expect(body).toMatchObject({ config: { service_tier: 'flex', tier_fallback: 'default' } });
});

test('run asks in batches with the service tier batch', async ({ harness }) => {
  const batch = ['--service-tier', 'batch', '--tier-fallback', 'default'];
  const { output } = await runPawl(harness.url, ['run', 'Hi', ...model, ...batch], { interruptAt: 'turn_' });

  const { body } = await harness.call('GET', `/v1/turns/${/turn_\w+/.exec(output)?.[0]}?include=config`);
  expect(body).toMatchObject({ config: { service_tier: 'batch', tier_fallback: 'default' } });
});

test('run without a service tier sets none', async ({ harness, worker: _ }) => {
  const { output } = await runPawl(harness.url, ['run', 'Hi', ...model]);

  const { body } = await harness.call('GET', `/v1/turns/${/turn_\w+/.exec(output)?.[0]}?include=config`);
  expect(body).toMatchObject({ config: { service_tier: null, tier_fallback: null } });
});

test.each([
  [['--service-tier', 'cheap'], 'auto, default, flex, priority, batch'],
  [['--tier-fallback', 'flex'], 'default'],
])('run refuses %j before a request', async (options, known) => {
  const { complaints, exitCode } = await runPawl('http://127.0.0.1:1', ['run', 'Hi', ...model, ...options]);

  expect(exitCode).toBe(2);
  expect(complaints).toContain(options[0]);
  expect(complaints).toContain(known);
});

test('run shows the refusal of a tier fallback on the ordinary tier', async ({ harness }) => {
  const { complaints, exitCode } = await runPawl(harness.url, ['run', 'Hi', ...model, '--tier-fallback', 'default']);

  expect(exitCode).toBe(1);
  expect(complaints).toContain('tier_fallback');
});

test('the help of run lists the service tiers', async () => {
  const { output } = await runPawl('http://127.0.0.1:1', ['run', '--help']);

  expect(output).toContain('--service-tier');
  expect(output).toContain('--tier-fallback');
});
