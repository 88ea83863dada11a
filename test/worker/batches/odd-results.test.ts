import { expect } from 'vitest';
import { takeBatches } from '#core/checkpoint/batches/take-batches.ts';
import { makeBatchLoop } from '#services/worker/batches/batch-loop.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startOpenaiServer } from '#test/llm/batches/servers/openai-server.ts';
import { enter, MINUTE_MS, openBatches, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

function replyOf(content: string) {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { id: 'reply', object: 'chat.completion', created: 0, model: 'gpt-4.1', choices };
}

test('results without an end are read up to the last answer of the batch', async () => {
  await using server = await startOpenaiServer();
  const odd = { kind: 'openai', base_url: `${server.origin}/v1`, api_key: 'sk-batch' };
  await using harness = await openBatches({ env: { PAWL_PROVIDERS: JSON.stringify({ odd }) } });
  const other = await enter(harness, { batch: { end: 'never' } });
  await pass(harness);
  const [foreign] = (await rowsOf(harness)).requests;
  const turn = await enter(harness, {}, { model: 'odd/gpt-4.1' });
  await pass(harness);
  const [batch] = server.batches;
  if (!foreign || !batch) throw new Error('a batch was not sent');

  const reply = (id: string, content: string) => ({ id, status: 200, body: replyOf(content) });
  // The server sends its results in reverse.
  const results = [...batch.ids.map((id) => reply(id, 'Yours.')), reply(foreign.id, 'Not yours.')];
  Object.assign(batch, { state: 'ended', results });
  server.script.results = (text) => ({ body: text, ending: 'open' });

  expect(await untilEnded(harness, turn.id)).toMatchObject({ status: 'completed', output: 'Yours.' });
  expect(await harness.findTurn(other.id)).toMatchObject({ status: 'in_progress', waiting: { for: 'batch' } });
});

test('a worker that stops leaves its batches to other workers at once', async () => {
  await using server = await startOpenaiServer();
  const odd = { kind: 'openai', base_url: `${server.origin}/v1`, api_key: 'sk-batch' };
  await using harness = await openBatches({ env: { PAWL_PROVIDERS: JSON.stringify({ odd }) } });
  await enter(harness, {}, { model: 'odd/gpt-4.1' });
  await pass(harness);
  Object.assign(server.batches[0] ?? {}, { state: 'ended' });
  server.script.results = () => ({ body: '\n', ending: 'open' });
  await harness.advance(MINUTE_MS);

  const stopped = makeBatchLoop(harness.worker);
  await stopped.tick();
  await waitUntil(() => server.asked.some(({ path }) => path.endsWith('/content')));
  await stopped.close();

  const taken = await takeBatches(harness.db, { owner: 'other', limit: 10, leaseMs: MINUTE_MS });
  expect(taken).toMatchObject([{ state: 'sent', lostReads: 0 }]);
});
