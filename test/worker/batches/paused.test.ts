import { test as base, expect } from 'vitest';
import { openStream, textOf } from '#test/api/stream/open-stream.ts';
import { opening } from '#test/harness/opening.ts';
import { startAnthropicServer } from '#test/llm/batches/servers/anthropic-server.ts';
import type { ScriptedServer } from '#test/llm/batches/servers/scripted-batches.ts';
import { openBatches, pass, untilEnded, usageOf } from './batch-turns.ts';

const usage = { input_tokens: 10, output_tokens: 5 };
const reply = { type: 'message', role: 'assistant', usage };
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather' } };
const paused = { ...reply, stop_reason: 'pause_turn', content: [{ type: 'text', text: 'I search.' }, search] };
const found = { ...reply, stop_reason: 'end_turn', content: [{ type: 'text', text: 'It rains.' }] };

/** Opens a harness with a scripted server of Message Batches. */
async function open() {
  const server = await startAnthropicServer();
  const claude = { kind: 'anthropic', base_url: server.origin, api_key: 'sk-batch' };
  const harness = await openBatches({ env: { PAWL_PROVIDERS: JSON.stringify({ claude }) } });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  const sendTurn = async () => {
    const tools = [{ type: 'web_search' }];
    const turn = await harness.startTurn({ model: 'claude/opus', service_tier: 'batch', input: 'Hello!', tools });
    await harness.workUntilIdle();
    await pass(harness);
    return turn;
  };
  return { server, harness, sendTurn, [Symbol.asyncDispose]: dispose };
}

const test = base.extend('opened', opening(open));

/** Ends the newest batch with one answer for all its requests. */
function answerWith({ batches }: ScriptedServer, body: object): void {
  const [batch] = batches;
  if (!batch) throw new Error('no batch was sent');
  Object.assign(batch, { state: 'ended', results: batch.ids.map((id) => ({ id, status: 200, body })) });
}

test('a stream shows a reply that pauses in a batch as a whole, once', async ({ opened }) => {
  const { server, harness, sendTurn } = opened;
  const turn = await sendTurn();
  const stream = await openStream(`${harness.url}/v1/turns/${turn.id}/events`, {});
  await stream.until((seen) => seen.length > 0);
  answerWith(server, paused);
  await pass(harness);
  await pass(harness);
  await pass(harness);
  expect(stream.seen.map(({ type }) => type)).not.toContain('output_text.delta');
  answerWith(server, found);

  const ended = await untilEnded(harness, turn.id);

  expect(ended).toMatchObject({ output: 'I search.\n\nIt rains.', usage: { output_tokens: 10, llm_calls: 2 } });
  await stream.over;
  expect(textOf(stream.seen)).toBe('I search.\n\nIt rains.');
});

test('a late answer that pauses in a batch counts in usage', async ({ opened }) => {
  const { server, harness, sendTurn } = opened;
  const turn = await sendTurn();
  await harness.call('POST', `/v1/turns/${turn.id}/cancel`);
  answerWith(server, paused);

  await pass(harness);

  expect(await usageOf(harness)).toEqual({ rounds: 0, outputTokens: 5 });
});

test('a paused reply counts in usage if its turn is cancelled', async ({ opened }) => {
  const { server, harness, sendTurn } = opened;
  const turn = await sendTurn();
  answerWith(server, paused);
  await pass(harness);
  await harness.call('POST', `/v1/turns/${turn.id}/cancel`);

  await pass(harness);

  expect(await usageOf(harness)).toEqual({ rounds: 0, outputTokens: 5 });
});
