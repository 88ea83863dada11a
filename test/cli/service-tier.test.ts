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

test('run without a service tier sets none', async ({ harness, worker: _ }) => {
  const { output } = await runPawl(harness.url, ['run', 'Hi', ...model]);

  const { body } = await harness.call('GET', `/v1/turns/${/turn_\w+/.exec(output)?.[0]}?include=config`);
  expect(body).toMatchObject({ config: { service_tier: null, tier_fallback: null } });
});

test.each([
  [['--service-tier', 'cheap'], 'auto, default, flex, priority'],
  [['--tier-fallback', 'flex'], 'default'],
])('run refuses %j before a request', async (options, known) => {
  const { complaints, exitCode } = await runPawl('http://127.0.0.1:1', ['run', 'Hi', ...model, ...options]);

  expect(exitCode).toBe(2);
  expect(complaints).toContain(options[0]);
  expect(complaints).toContain(known);
});

test('run shows the refusal of a tier fallback on another tier than flex', async ({ harness }) => {
  const { complaints, exitCode } = await runPawl(harness.url, ['run', 'Hi', ...model, '--tier-fallback', 'default']);

  expect(exitCode).toBe(1);
  expect(complaints).toContain('tier_fallback');
});

test('the help of run lists the service tiers', async () => {
  const { output } = await runPawl('http://127.0.0.1:1', ['run', '--help']);

  expect(output).toContain('--service-tier');
  expect(output).toContain('--tier-fallback');
});
