import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { answered, asking, openApproving, pay } from './approving.ts';

type Item = OpenAI.Responses.ResponseInputItem;

const question: Item = { role: 'user', content: asking(pay()) };
const reference = (id: string): Item => ({ type: 'item_reference', id });

test('a client that sends all items again may allow a request among them', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const [request] = asked.requests;
  const items = [question, ...(asked.output as Item[]), answered(request!)];

  const next = await opened.run({ input: items });
  expect(next.output).toMatchObject([{ type: 'mcp_call', approval_request_id: request }, { type: 'message' }]);
  expect(opened.received()).toEqual(['mcp_1: paid']);

  const later = [...items, ...(next.output as Item[]), { role: 'user' as const, content: 'Thanks.' }];
  expect((await opened.run({ input: later })).output).toMatchObject([{ type: 'message' }]);
  expect(opened.received()).toEqual(['mcp_1: paid']);
  expect(opened.called()).toHaveLength(1);
});

test('a client that sends references again may allow a request among them', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const [request] = asked.requests;
  const items = [question, ...asked.output.map(({ id }) => reference(id!)), answered(request!)];

  const next = await opened.run({ input: items });
  expect(opened.received()).toEqual(['mcp_1: paid']);
  const more = [
    ...items,
    ...next.output.map(({ id }) => reference(id!)),
    { role: 'user' as const, content: 'Thanks.' },
  ];
  for (const behind of [{}, { previous_response_id: next.id }]) await opened.run({ ...behind, input: more.slice(1) });

  expect(opened.called()).toHaveLength(1);
});

test('a response ignores a repeated request of its history, and an unknown request', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const [request] = asked.requests;
  const foreign: Item = {
    ...{ type: 'mcp_approval_request', id: 'mcpr_0123', server_label: 'docs', name: 'find', arguments: '{}' },
  };

  const input = [...(asked.output as Item[]).slice(1), foreign, answered(request!)];
  await opened.run({ previous_response_id: asked.id, input });

  expect(opened.received()).toEqual(['call_pay: paid']);
});

test('a repeated request without an answer counts as denied', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());

  await opened.run({ input: [question, ...(asked.output as Item[]), { role: 'user', content: 'Never mind.' }] });

  expect(opened.received()).toEqual([expect.stringMatching(/^mcp_1: Tool execution failed \(permission_denied\)/)]);
});

test('input items list an approval request and its answer with the request id', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const [request] = asked.requests;

  const { id } = await opened.run({ input: [question, ...(asked.output as Item[]), answered(request!, false, 'No.')] });
  const { data } = await opened.client.responses.inputItems.list(id, { order: 'asc' });

  expect(data.slice(2)).toMatchObject([
    { id: request, type: 'mcp_approval_request', server_label: 'http', name: 'pay' },
    { type: 'mcp_approval_response', approval_request_id: request, approve: false, reason: 'No.' },
  ]);
});
