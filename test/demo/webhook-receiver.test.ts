import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { test } from '#test/harness/test.ts';
import { openaiClient } from '../api/openai/responses/openai-client.ts';
import { startBackgroundWorker } from '../harness/create-harness.ts';

/** Starts the example. `nextLine` waits for its next output. */
async function startReceiver(env: Record<string, string>) {
  const path = `${import.meta.dirname}/../../examples/webhook-receiver.ts`;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const receiver = spawn(process.execPath, [path], { env: { ...process.env, ...env }, stdio: [...stdio] });
  const lines = createInterface({ input: receiver.stdout! })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value as string | undefined;
  expect(await nextLine()).toBe('waiting for webhooks');
  return { nextLine, [Symbol.asyncDispose]: async () => void receiver.kill() };
}

test('the example of a webhook receiver accepts webhooks of Pawl only', async ({ harness }) => {
  const { secrets } = (await harness.call<{ secrets: string[] }>('GET', '/v1/webhook_secret')).body;
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const settings = { OPENAI_BASE_URL: `${harness.url}/v1`, OPENAI_API_KEY: 'any', OPENAI_WEBHOOK_SECRET: secrets[0]! };
  await using receiver = await startReceiver({ ...settings, PORT: String(port) });
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness);

  const forged = await fetch(url, { method: 'POST', body: '{"type":"response.completed"}' });
  const refusal = await receiver.nextLine();
  const pawl = { webhook: { url, events: ['response.completed'] } };
  const response = await client.responses.create({ model: 'test', input: 'Hi', background: true, ...{ pawl } });
  const received = await receiver.nextLine();

  expect([forged.status, refusal]).toEqual([401, expect.stringContaining('refused: ')]);
  expect(received).toBe(`${response.id}: ${(await client.responses.retrieve(response.id)).output_text}`);
});
