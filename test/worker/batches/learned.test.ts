import { expect, test } from 'vitest';
import { startAnthropicServer } from '#test/llm/batches/servers/anthropic-server.ts';
import { openBatches, pass, untilEnded } from './batch-turns.ts';

const usage = { input_tokens: 10, output_tokens: 5 };
const found = {
  ...{ type: 'message', role: 'assistant', usage, stop_reason: 'end_turn' },
  content: [{ type: 'text', text: 'It rains.' }],
};
const message = 'system.0.cache_control: Extra inputs are not permitted';
const refused = { type: 'error', error: { type: 'invalid_request_error', message } };

test('cache marks that a batch refuses are left out without an attempt', async () => {
  await using server = await startAnthropicServer();
  const claude = { kind: 'anthropic', base_url: server.origin, api_key: 'sk-batch', prompt_cache: true };
  await using harness = await openBatches({ env: { PAWL_PROVIDERS: JSON.stringify({ claude }) } });
  const config = { model: 'claude/opus', service_tier: 'batch', prompt_cache: '1h', tools: ['weather_lookup'] };
  const answerWith = async (status: number, body: object) => {
    await pass(harness);
    const [batch] = server.batches;
    if (!batch) throw new Error('no batch was sent');
    const bodies = JSON.stringify(batch.bodies);
    Object.assign(batch, { state: 'ended', results: batch.ids.map((id) => ({ id, status, body })) });
    await pass(harness);
    return bodies;
  };
  const { id } = await harness.startTurn({ ...config, input: 'Hello!', instructions: 'Be brief.' });
  await harness.workUntilIdle();

  expect(await answerWith(400, refused)).toContain('cache_control');
  expect(await answerWith(200, found)).not.toContain('cache_control');

  expect(await untilEnded(harness, id)).toMatchObject({
    ...{ status: 'completed', output: 'It rains.', rounds: [{ attempts: 1 }] },
    warnings: ['prompt_cache "1h" was refused by claude and left out'],
  });
});
