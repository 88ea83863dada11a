import { expect, test } from 'vitest';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { answered, asking, locate, look, openApproving, pay, requestsOf } from './approving.ts';

const output = (call_id: string) => ({ type: 'function_call_output' as const, call_id, output: 'here' });

test('a call that needs approval is not run, and ends the response as a request', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());

  expect(asked).toMatchObject({ status: 'completed', output_text: 'Let me pay.' });
  expect(asked.output.slice(1)).toEqual([
    {
      ...{ id: asked.id.replace('resp_', 'mcpr_').concat('_r1_0'), type: 'mcp_approval_request' },
      ...{ server_label: 'http', name: 'pay', arguments: '{"city":"Rome"}' },
    },
  ]);
  expect(opened.called()).toEqual([]);
});

test('an allowed call runs first, with the tool of the earlier response', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());

  const [request] = asked.requests;
  const odd = 'It is due.\u0000\ud800';
  const next = await opened.run({ previous_response_id: asked.id, input: [answered(request!, true, odd)] });

  const suffix = next.id.slice(5);
  expect(next.status).toBe('completed');
  expect(next.output).toMatchObject([
    {
      ...{ id: `mcp_${suffix}_r0_0`, type: 'mcp_call', server_label: 'http', name: 'pay', status: 'completed' },
      ...{ arguments: '{"city":"Rome"}', output: 'paid', error: null, approval_request_id: request },
    },
    { type: 'message', content: [{ text: 'All is paid.' }] },
  ]);
  expect(opened.called()).toEqual([`turn_${suffix}.0.call_pay`]);
  expect(opened.received()).toEqual(['call_pay: paid']);
});

test('a call that is denied or left unanswered is reported to the model', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay('call_a'), pay('call_b'));

  const denied = answered(asked.requests[0]!, false, 'Too dear.');
  const next = await opened.run({ previous_response_id: asked.id, input: [denied] });

  expect(next.output).toMatchObject([{ type: 'message' }]);
  expect(opened.called()).toEqual([]);
  expect(opened.received()).toEqual([
    'call_a: Tool execution failed (permission_denied): A person denied this call: Too dear.',
    expect.stringMatching(/^call_b: Tool execution failed \(permission_denied\): A person denied this call: /),
  ]);
});

test('a response with an approval request also runs Pawl’s calls and hands over others', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(look(), locate(), pay());

  const types = asked.output.map(({ type }) => type);
  expect(types).toEqual(['message', 'mcp_call', 'function_call', 'mcp_approval_request']);
  expect(opened.called()).toHaveLength(1);
  const previous_response_id = asked.id;
  const [request] = asked.requests;
  const alone = await opened.refused({ previous_response_id, input: [answered(request!)] });
  expect(alone).toMatchObject({ status: 400, code: 'tool_output_mismatch' });

  await opened.run({ previous_response_id, input: [answered(request!), output('call_locate')] });
  expect(opened.received()).toEqual(['call_look: paid', 'call_locate: here', 'call_pay: paid']);
});

test('a request accepts one answer, as an approval, after its own response', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const [request] = asked.requests;
  const previous_response_id = asked.id;

  const byOutput = await opened.refused({ previous_response_id, input: [output('call_pay')] });
  expect(byOutput).toMatchObject({ status: 400, code: 'tool_output_mismatch', param: 'input[0].call_id' });
  const twice = await opened.refused({ previous_response_id, input: [answered(request!), answered(request!, false)] });
  expect(twice).toMatchObject({ status: 400, param: 'input[1].approval_request_id' });
  const unknown = { status: 400, code: 'item_not_found', param: 'input[1].approval_request_id' };
  const hi = { role: 'user' as const, content: 'Hi' };
  for (const id of [request!.replace('_r1_0', '_r1_1'), request!.replace('_r1_', '_r2_'), 'mcpr_nothing', 'call_pay']) {
    expect(await opened.refused({ previous_response_id, input: [hi, answered(id)] })).toMatchObject(unknown);
  }
  expect(await opened.refused({ input: [hi, answered(request!)] })).toMatchObject(unknown);

  const next = await opened.run({ previous_response_id, input: 'Never mind.' });
  const late = await opened.refused({ previous_response_id: next.id, input: [hi, answered(request!)] });
  expect(late).toMatchObject(unknown);
  expect(opened.called()).toEqual([]);
});

test('a second response that allows a used request is refused, but may deny it', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay('call_a'), pay('call_b'));
  const previous_response_id = asked.id;
  const [a, b] = asked.requests;

  const first = await opened.run({ previous_response_id, input: [answered(a!)] });
  const second = await opened.refused({ previous_response_id, input: [answered(b!), answered(a!)] });
  const within = await opened.refused({ previous_response_id: first.id, input: [answered(a!)] });
  for (const [refused, at] of [
    [second, 1],
    [within, 0],
  ] as const) {
    expect(refused).toMatchObject({
      status: 400,
      code: 'approval_already_used',
      param: `input[${at}].approval_request_id`,
    });
    expect(refused.message).toContain(first.id);
  }

  const denying = await opened.run({ previous_response_id, input: [answered(a!, false), answered(b!)] });
  expect(denying.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
  expect(opened.called()).toHaveLength(2);
});

test('one of several concurrent responses that allow the same request is created', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const body = { previous_response_id: asked.id, input: [answered(asked.requests[0]!)] };

  const settled = await Promise.allSettled(Array.from({ length: 5 }, () => opened.start(body)));
  await opened.harness.workUntilIdle();

  const made = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []));
  expect(made).toHaveLength(1);
  for (const each of settled) {
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'approval_already_used' });
  }
  expect(opened.called()).toHaveLength(1);
});

test('a request stays used if its response is cancelled before the call, or erased', async () => {
  await using opened = await openApproving();
  const { client, harness } = opened;
  const asked = await opened.ask(pay());
  const body = { previous_response_id: asked.id, input: [answered(asked.requests[0]!)] };

  const first = await opened.start(body);
  await client.responses.cancel(first.id);
  expect(await opened.refused(body)).toMatchObject({ code: 'approval_already_used' });
  expect((await client.responses.retrieve(first.id)).output).toMatchObject([{ type: 'mcp_call', status: 'failed' }]);
  await client.responses.delete(first.id);
  await harness.advance(60_000);
  await eraseAllHidden(harness);
  expect((await harness.call('GET', `/v1/turns/${first.id.replace('resp_', 'turn_')}`)).status).toBe(404);

  expect(await opened.refused(body)).toMatchObject({ code: 'approval_already_used' });
  expect(opened.called()).toEqual([]);
});

test('an allowed call runs even if the response that requested it is deleted', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const next = await opened.start({ previous_response_id: asked.id, input: [answered(asked.requests[0]!)] });

  await opened.client.responses.delete(asked.id);
  await opened.harness.workUntilIdle();

  expect((await opened.client.responses.retrieve(next.id)).output_text).toBe('All is paid.');
  expect(opened.received()).toEqual(['call_pay: paid']);
  const gone = await opened.refused({ previous_response_id: asked.id, input: [answered(asked.requests[0]!)] });
  expect(gone).toMatchObject({ code: 'previous_response_not_found' });
});

test('a request in a conversation is answered by the next response, or else denied', async () => {
  await using opened = await openApproving();
  const { harness, tools } = opened;
  const conversation = (await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} })).body.id;

  const asked = await opened.run({ conversation, input: asking(pay()), tools });
  const [request] = requestsOf(asked);
  const next = await opened.run({ conversation, input: [answered(request!)] });
  expect(next.output).toMatchObject([{ type: 'mcp_call', output: 'paid' }, { type: 'message' }]);

  const again = await opened.run({ conversation, input: asking(pay('call_again')), tools });
  await harness.call('POST', `/v1/conversations/${conversation}/turns`, {
    body: { model: 'openai/test', input: 'Hi' },
  });
  await harness.workUntilIdle();
  expect(opened.received().at(-1)).toMatch(/^call_again: Tool execution failed \(permission_denied\)/);
  const late = await opened.refused({ conversation, input: [answered(requestsOf(again)[0]!)] });
  expect(late).toMatchObject({ code: 'item_not_found' });
});

test('a request cannot be answered while its response is running', async () => {
  await using opened = await openApproving();
  const asked = await opened.start({ input: asking(look(), pay()), tools: opened.tools });
  await opened.harness.workOnce();

  const request = asked.id.replace('resp_', 'mcpr_').concat('_r1_1');
  const early = await opened.refused({ previous_response_id: asked.id, input: [answered(request)] });

  expect(early).toMatchObject({ status: 400, code: 'previous_response_not_finished' });
});
