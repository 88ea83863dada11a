import { expect, test } from 'vitest';
import { answer, askHosted, startHostedServer, words } from './hosted-server.ts';

const refuses =
  "'claude-haiku-4-5-20251001' does not support programmatic tool calling. The following tools have " +
  '`allowed_callers` that require it: web_search. Explicitly set `allowed_callers=["direct"]` on these tools.';
const direct = { type: 'web_search_20260318', name: 'web_search', allowed_callers: ['direct'] };
const hello = answer([words('Hi.')]);

test('a model that cannot call tools from code calls hosted tools directly', async () => {
  await using server = await startHostedServer({ status: 400, refuses }, hello);
  const { ask } = askHosted(server);
  const hostedTools = [{ type: 'web_search' as const }, { type: 'code_execution' as const }];

  const replies = [await ask({ hostedTools }), await ask({ hostedTools })];

  expect(replies.map(({ text }) => text)).toEqual(['Hi.', 'Hi.']);
  const code = { type: 'code_execution_20260521', name: 'code_execution' };
  expect(server.asked.map(({ tools }) => tools)).toEqual([
    [{ type: 'web_search_20260318', name: 'web_search' }, code],
    [direct, code],
    [direct, code],
  ]);
});

test('a refusal of calls from code that the caller wants is an unsupported feature', async () => {
  await using server = await startHostedServer({ status: 400, refuses });
  const options = { allowed_callers: ['code_execution_20260521'] };

  const asking = askHosted(server).ask({ hostedTools: [{ type: 'web_search', options }] });

  await expect(asking).rejects.toMatchObject({
    code: 'model_unsupported_feature',
    retry: { kind: 'never' },
    message: expect.stringContaining('Set allowed_callers to ["direct"] in the options of the hosted tool'),
  });
  expect(server.asked).toHaveLength(1);
});

test('a model without the version of a hosted tool is an unsupported feature', async () => {
  const said = "'claude-3-haiku-20240307' does not support tool types: web_search_20260318.";
  await using server = await startHostedServer({ status: 400, refuses: said });

  await expect(askHosted(server).ask()).rejects.toMatchObject({
    code: 'model_unsupported_feature',
    message: expect.stringContaining('Set `type` in the options of the hosted tool'),
  });
});

test('a version that no server knows is refused, with advice', async () => {
  await using server = await startHostedServer(hello);
  const options = { type: 'web_search_20990101' };

  const asking = askHosted(server).ask({ hostedTools: [{ type: 'web_search', options }] });

  await expect(asking).rejects.toMatchObject({ code: 'model_unsupported_feature' });
});
