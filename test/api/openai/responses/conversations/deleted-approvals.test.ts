import { expect, test } from 'vitest';
import { answered, asking, openApproving, pay, requestsOf } from '../approving.ts';
import { conversing } from './converse.ts';

const payIn = (city: string) => ({ ...pay(`call_${city}`), arguments: { city } });

test('an approval runs the named call, even if a call before it was deleted', async () => {
  await using opened = await openApproving();
  const { run, server, tools } = opened;
  const { conversations } = conversing(opened.harness);
  const { id: conversation } = await conversations.create();
  const asked = await run({ conversation, input: asking(payIn('Rome'), payIn('Oslo'), payIn('Lima')), tools });
  const [first, second] = requestsOf(asked);

  await conversations.items.delete(first!, { conversation_id: conversation });
  const next = await run({ conversation, input: [answered(second!)] });

  expect(next.output[0]).toMatchObject({ type: 'mcp_call', arguments: '{"city":"Oslo"}' });
  expect(server.caught).toHaveLength(1);
  expect(String(server.caught[0]?.body)).toContain('Oslo');
});

test.each([
  ['the request', 0],
  ['its answer', 1],
  ['the call that was run', 2],
] as const)('an allowed call is deleted as a whole, and others keep their results: %s', async (_, which) => {
  await using opened = await openApproving({ reply: (number) => ({ status: 200, body: `paid ${number}` }) });
  const { run, received, tools } = opened;
  const { conversations } = conversing(opened.harness);
  const { id: conversation } = await conversations.create();
  const requests = requestsOf(await run({ conversation, input: asking(payIn('Rome'), payIn('Oslo')), tools }));
  const next = await run({ conversation, input: requests.map((id) => answered(id)) });
  const kept = next.output[1];
  const items = [requests[0]!, next.id.replace(/^resp_(.*)$/, 'mcprr_$1_i0'), next.output[0]!.id!];

  await conversations.items.delete(items[which]!, { conversation_id: conversation });
  await run({ conversation, input: 'And?' });

  const left: string[] = [];
  for await (const { id } of conversations.items.list(conversation)) left.push(id!);
  for (const item of items) expect(left).not.toContain(item);
  expect(left).toContain(requests[1]);
  expect(received()).toEqual([`call_Oslo: ${(kept as { output?: string }).output}`]);
});
