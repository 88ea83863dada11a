import { expect } from 'vitest';
import { readSettings } from '#services/process/settings.ts';
import { openMetricsPort } from '#services/worker/metrics-port.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';

async function openPort(env: Record<string, string>) {
  const harness = await createHarness({ env: { PAWL_METRICS_PORT: '0', ...env } });
  const port = await openMetricsPort(harness.parts, readSettings(harness.env));
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${port.url}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  const dispose = async () => {
    await port.close();
    await harness[Symbol.asyncDispose]();
  };
  return { harness, ask, [Symbol.asyncDispose]: dispose };
}

test('a worker serves its metrics and its health at its own port', async () => {
  await using worker = await openPort({});
  await worker.harness.runTurn({ input: 'Hi' });

  const metrics = await worker.ask('/metrics');

  expect(metrics.status).toBe(200);
  expect(metrics.text).toContain('pawl_turns_total{project="default",status="completed"} 1\n');
  expect(metrics.text).toContain('pawl_part_up{part="database"} 1\n');
  expect(await worker.ask('/healthz')).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(await worker.ask('/readyz')).toMatchObject({ status: 200 });
  expect(await worker.ask('/v1/turns')).toMatchObject({ status: 404 });
});

test('the metrics of a worker require their key, and its health requires no key', async () => {
  await using worker = await openPort({ PAWL_METRICS_KEY: 'key-of-metrics' });

  expect(await worker.ask('/metrics')).toMatchObject({ status: 401 });
  expect(await worker.ask('/metrics', { authorization: 'Bearer key-of-metrics' })).toMatchObject({ status: 200 });
  expect(await worker.ask('/healthz')).toMatchObject({ status: 200 });
});

test('a worker with a public HOST serves no metrics without a key', async () => {
  await using worker = await openPort({ HOST: '0.0.0.0', PAWL_API_KEYS: 'alpha:key-of-alpha' });

  expect(await worker.ask('/metrics')).toMatchObject({ status: 401 });
});

test('an admin key opens the metrics of a worker', async () => {
  const keys = [{ key: 'key-of-admin', scopes: ['admin'] }, 'key-of-alpha'];
  const env = { PAWL_METRICS_KEY: 'key-of-metrics', PAWL_PROJECTS: JSON.stringify({ alpha: { keys } }) };
  await using worker = await openPort(env);

  expect(await worker.ask('/metrics', { authorization: 'Bearer key-of-admin' })).toMatchObject({ status: 200 });
  expect(await worker.ask('/metrics', { authorization: 'Bearer key-of-alpha' })).toMatchObject({ status: 403 });
});

test('a worker without PAWL_METRICS_PORT listens at no port', async ({ harness }) => {
  const port = await openMetricsPort(harness.parts, harness.settings);

  expect(port.url).toBeNull();
});
