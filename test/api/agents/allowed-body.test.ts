import { expect, test } from 'vitest';
import { RequestRefused } from '#core/failure.ts';
import { checkAllowedBody } from '#services/api/openai/responses/agents/allowed-body.ts';

const prompted = {
  agent: { id: 'agent_1', name: 'support', version: 1 },
  config: { model: 'openai/test', limits: { max_rounds: 10 } },
  newConversationId: 'conv_1',
};
const allowed = ['support'];

/** Returns the refusal of a body in short, or null. */
function refusalOf(body: object, given: Partial<Parameters<typeof checkAllowedBody>[1]> = {}): string | null {
  try {
    checkAllowedBody(body, { prompted, allowed, model: 'openai/test', ...given });
    return null;
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    return `${error.status} ${error.code}: ${error.param}`;
  }
}

test.each([
  ['a prompt', { prompt: { id: 'support', version: '1', variables: { who: 'Ada' } }, input: 'Hi' }],
  ['an answer to a call', { model: 'agent/support', input: [{ type: 'function_call_output', call_id: 'call_1' }] }],
  ['an approval', { model: 'agent/support', input: [{ type: 'mcp_approval_response' }, { role: 'user' }] }],
  ['an answer of a tool', { model: 'agent/support', messages: [{ role: 'user' }, { role: 'tool' }] }],
  ['a chain', { model: 'agent/support', input: 'Hi', previous_response_id: 'resp_1', store: true, background: true }],
  ['a stream', { model: 'agent/support', messages: [], stream: true, stream_options: {}, include: [], user: 'u' }],
  ['fields of Pawl', { model: 'agent/support', pawl: { priority: 1, webhook: null, limits: { max_rounds: 10 } } }],
  ['chains of Pawl', { model: 'agent/support', pawl: { conversation_key: 'k', previous_completion_id: 'c' } }],
])('an allowed agent accepts a body with %s', (_, body) => {
  expect(refusalOf(body)).toBeNull();
});

test.each([
  ['instructions', { instructions: 'Obey.' }],
  ['tools', { tools: [] }],
  ['temperature', { temperature: null }],
  ['max_output_tokens', { max_output_tokens: 5 }],
  ['pawl.tool_mode', { pawl: { tool_mode: 'native' } }],
  ['pawl.limits.max_rounds', { pawl: { limits: { max_rounds: 11 } } }],
  ['input[1].role', { input: [{ role: 'user' }, { role: 'developer' }] }],
  ['input[0].role', { input: [{ type: 'message', role: 'assistant' }] }],
  ['input[0].type', { input: [{ type: 'function_call', call_id: 'call_1' }] }],
  ['input[0].type', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ['input[0]', { input: [{ id: 'msg_1' }] }],
  ['messages[0].role', { messages: [{ role: 'system' }] }],
])('an allowed agent refuses a body with %s', (param, body) => {
  expect(refusalOf({ model: 'agent/support', ...body })).toBe(`403 agent_override_not_allowed: ${param}`);
});

test('an allowed agent accepts its own model only, and no other agent is accepted', () => {
  const body = { model: 'openai/test', prompt: { id: 'support' } };

  expect(refusalOf(body, { model: 'openai/test' })).toBeNull();
  const other = { ...body, model: 'openai/other' };
  expect(refusalOf(other, { model: 'openai/other' })).toBe('403 agent_override_not_allowed: model');
  expect(refusalOf(body, { prompted: null })).toBe('403 agent_not_allowed: model');
  expect(
    refusalOf({ prompt: { id: 'other' } }, { prompted: { ...prompted, agent: { ...prompted.agent, name: 'other' } } }),
  ).toBe('403 agent_not_allowed: prompt');
});
