import type { Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { missCompletion } from './play-completions.ts';
import type { Ask } from './visitor.ts';

const model = 'openai/test';
const input = 'Hi';
const none = (prefix: string) => `${prefix}_01kagz8m4pfvbte2n5q7rys3wx`;

/** Fields that cause the refusal of a response, with one entry for each code. */
const refusedResponses: object[] = [
  { inptu: 'Hi' },
  { tools: [{ type: 'function' }] },
  { moderation: { model: 'auto' } },
  { truncation: 'oldest' },
  { previous_response_id: 'resp_1', conversation: 'conv_1' },
  { background: true, store: false },
  { tools: [{ type: 'web_search' }] },
  { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://example.com' }] },
  { input: [{ type: 'computer_call' }] },
  { input: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
];

/** Sends create requests, each with a different reason to be refused, and requests unknown responses. */
export async function respondWrongly(ask: Ask): Promise<void> {
  const create = (body: object) => ask<{ id: string }>('POST', '/v1/responses', { body: { model, input, ...body } });
  const { id } = await create({ background: true });
  const item = (value: object) => ({ input: [value] });
  for (const body of [
    ...refusedResponses,
    item({ type: 'item_reference', id: 'msg_none' }),
    item({ type: 'function_call_output', call_id: 'x', output: 'y' }),
    { previous_response_id: none('resp') },
    { previous_response_id: id, store: false },
    { conversation: none('conv') },
  ])
    await create(body);
  const response = `/v1/responses/${none('resp')}`;
  for (const path of [response, `${response}/input_items`, `${response}/ui-stream`]) await ask('GET', path);
  await ask('POST', `${response}/cancel`);
  await ask('DELETE', response);
  await ask('GET', '/v1/responses');
  await missCompletion(ask, none('chatcmpl').replace('_', '-'));
}

export async function allowTwice(ask: Ask, harness: Harness): Promise<void> {
  const create = (body: object) =>
    ask<{ id: string }>('POST', '/v1/responses', { body: { model: 'openai/test', background: true, ...body } });
  const tools = [httpTool('pay', 'https://example.com/', { approval: 'always' })];
  const asking = scripted({ rounds: [{ tools: [{ name: 'pay', arguments: { city: 'Rome' }, id: 'call_1' }] }] });
  const { id } = await create({ input: asking, tools });
  await harness.workUntilIdle();
  const approval_request_id = `${id.replace('resp_', 'mcpr_')}_r1_0`;
  const input = [{ type: 'mcp_approval_response', approval_request_id, approve: true }];
  for (const _ of [1, 2]) await create({ previous_response_id: id, input });
}
