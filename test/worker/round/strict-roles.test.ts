import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { checkAlternate, checkSystemFirst, checkUserOnly } from '#test/llm/check-wire/openai-roles.ts';
import { startStrictServer } from '#test/llm/strict-server.ts';

const qwen = { order: checkSystemFirst, words: 'System message must be at the beginning.' };
const gemma = { order: checkAlternate, words: 'Conversation roles must alternate user/assistant/user/assistant/...' };
const noSystem = { order: checkUserOnly, words: 'System role not supported' };

/** Replies with a call by marker or decision, and then with the result of the tool. */
function reply(conversation: string): string {
  const hasLooked = conversation.includes('sunny');
  if (conversation.includes('[TOOL_CALL: name'))
    return hasLooked ? 'Sunny.' : '[TOOL_CALL: weather_lookup {"city":"Bern"}]';
  if (!conversation.includes('"tools\\":')) return 'Sunny.';
  return hasLooked ? '{"tools":[]}' : '{"tools":[{"tool":"weather_lookup","arguments":{"city":"Bern"}}]}';
}

/** Plays two turns of a conversation on a strict server. */
async function play(strict: typeof qwen, mode: string, roles?: string) {
  await using server = await startStrictServer(strict, reply);
  const local = { kind: 'openai', base_url: server.baseUrl, ...(roles ? { roles } : {}) };
  await using harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify({ local }) } });
  const config = { model: 'local/some-model', instructions: 'Be brief.', tools: ['weather_lookup'], tool_mode: mode };
  const first = await harness.runTurn({ ...config, input: 'How is it in Bern?' });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const { body } = await harness.call<{ id: string }>('POST', path, { body: { input: 'And now?' } });
  await harness.workUntilIdle();
  const turns = await Promise.all([first.id, body.id].map((id) => harness.findTurn(id)));
  return { turns, refused: server.refused.length };
}

const servers = [
  ['system-first', qwen],
  ['alternate', gemma],
  ['user-only', noSystem],
] as const;

test.each(servers)('inline calls run on a server with roles %s, without a refusal', async (roles, strict) => {
  const { turns, refused } = await play(strict, 'inline', roles);

  expect(turns).toMatchObject([
    { status: 'completed', output: 'Sunny.', usage: { tool_calls: 1 } },
    { status: 'completed', output: 'Sunny.' },
  ]);
  expect(refused).toBe(0);
});

test.each(servers)('emulated calls run on a server with roles %s, without a refusal', async (roles, strict) => {
  const { turns, refused } = await play(strict, 'emulated', roles);

  expect(turns).toMatchObject([{ status: 'completed', usage: { tool_calls: 1 } }, { status: 'completed' }]);
  expect(refused).toBe(0);
});

test.each(servers)('a server with roles %s but without that setting refuses a single request', async (_, strict) => {
  const { turns, refused } = await play(strict, 'inline');

  expect(turns).toMatchObject([
    { status: 'completed', output: 'Sunny.', usage: { tool_calls: 1, llm_calls: 2 } },
    { status: 'completed', output: 'Sunny.' },
  ]);
  expect(refused).toBe(1);
});
