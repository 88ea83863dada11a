import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { visitor } from './visitor.ts';

const model = 'openai/test';
const fault = (status: number) => scripted({ answer: 'Never.', final: { fault: { kind: 'status', status } } });

test('a foreground response matches the document, as JSON, as a stream and on failure', async () => {
  await using harness = await createHarness({ env: { PAWL_UNSUPPORTED_TOOLS: 'ignore' } });
  await using _worker = await startBackgroundWorker(harness);
  const { ask } = visitor(harness.url);
  type Answer = { id?: string; status?: string; error?: { code: string } };

  for (const base of ['/v1', '/openai/v1']) {
    const create = (body: object) =>
      ask<Answer>('POST', `${base}/responses`, { body: { model, input: 'Hi', ...body } });
    const once = { body: { model, input: 'Hi' }, headers: { 'idempotency-key': 'once' } };
    const { id } = await create({ tools: [{ type: 'web_search' }] });
    for (const _ of [1, 2]) await ask('POST', `${base}/responses`, once);
    await create({ stream: true });
    for (const query of ['?stream=true', '?stream=true&starting_after=999', '?wait=1'])
      await ask('GET', `${base}/responses/${id}${query}`);

    expect(await create({ input: fault(400) })).toMatchObject({ error: { code: 'provider_invalid_request' } });
    expect(await create({ input: fault(401) })).toMatchObject({ error: { code: 'provider_authentication_failed' } });
  }
});
