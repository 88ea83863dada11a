import type { Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import type { visitor } from './visitor.ts';

type Ask = ReturnType<typeof visitor>['ask'];

/** A call that two responses allow. */
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
