import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, stops: { type: 'array', items: { type: 'string' } } },
  required: ['city'],
  additionalProperties: false,
};
const approval = 'always';
const card = { name: 'send_postcard', description: 'Sends a postcard to a city, once', approval, parameters };
const locate = { name: 'locate_user', description: 'Asks the device', execution: { kind: 'client' }, approval };
const inKyoto = (id: string, name: string) => ({ id, name, arguments: { city: 'Kyoto' } });
const allow = (id: string, approved?: unknown) => ({ tool_call_id: id, decision: 'allow', arguments: approved });

function post(harness: Harness, turn: TurnResource, action: string, body: object) {
  const path = `/v1/turns/${turn.id}/${action}`;
  return harness.call<TurnResource & { error?: { code: string; param: string; message: string } }>('POST', path, {
    body,
  });
}

async function startWaiting(harness: Harness, tools: unknown[], calls: object[]): Promise<TurnResource> {
  const input = scripted({ rounds: [{ tools: calls as never }], answer: 'Got {{results}}' });
  return harness.runTurn({ input, tools });
}

test('a call runs with the allowed arguments, and the model sees them, also in a rerun', async ({ harness }) => {
  await using server = await openExternalServer(() => ({ status: 200, body: 'booked' }));
  const tools = [card, httpTool('book', server.url, { approval, parameters }), { ...locate, parameters }];
  const calls = [inKyoto('c1', 'send_postcard'), inKyoto('c2', 'book'), inKyoto('c3', 'locate_user')];
  const turn = await startWaiting(harness, tools, calls);

  const osaka = { city: 'Osaka' };
  const approvals = ['c1', 'c2', 'c3'].map((id) => allow(id, osaka));
  const { body: allowed } = await post(harness, turn, 'approvals', { approvals });
  await harness.workUntilIdle();
  await post(harness, turn, 'tool_outputs', { tool_outputs: [{ tool_call_id: 'c3', output: 'here' }] });
  await harness.workUntilIdle();

  expect(allowed.required_action).toMatchObject({
    tool_outputs: [{ id: 'c3', arguments: { city: 'Kyoto' }, approved_arguments: osaka }],
    approvals: [],
  });
  expect(server.caught).toMatchObject([
    { body: JSON.stringify(osaka), headers: { 'idempotency-key': `${turn.id}.1.c2` } },
  ]);
  const { rounds, output } = await harness.findTurn(turn.id);
  expect(rounds[0]?.tool_calls).toMatchObject(calls.map((call) => ({ ...call, approved_arguments: osaka })));
  expect(rounds[0]?.results.map(({ content }) => content)).toEqual(['sent to Osaka', 'booked', 'here']);
  const note = '[The person who allowed this call changed its arguments. It ran with: {"city":"Osaka"}]';
  expect(output).toBe(`Got ${['sent to Osaka', 'booked', 'here'].map((said) => `${note}\n${said}`).join('\n')}`);
  expect(JSON.stringify(harness.modelRequests.at(-1))).toContain('\\"city\\":\\"Kyoto\\"');

  const events = await harness.listEvents(turn.id);
  const reply = events.find((event) => event.type === 'round.completed');
  expect(reply).toMatchObject({ tool_calls: [{ id: 'c1' }, {}, {}] });
  expect(JSON.stringify(reply)).not.toContain('Osaka');

  const { body: again } = await post(harness, turn, 'rerun', {});
  await harness.workUntilIdle();
  const reused = await harness.findTurn(again.id);
  expect(reused.output).toBe(output);
  expect(reused.rounds[0]?.tool_calls).toEqual(rounds[0]?.tool_calls);
});

test('invalid approved arguments are refused with their path, and no decision is saved', async ({ harness }) => {
  const turn = await startWaiting(harness, [card], [inKyoto('c1', 'send_postcard'), inKyoto('c2', 'send_postcard')]);
  const decide = (...approvals: object[]) => post(harness, turn, 'approvals', { approvals });

  const wrong = await decide(allow('c1'), allow('c2', { city: 'Rome', stops: ['Pisa', 7] }));
  const missing = await decide(allow('c1', {}));
  const text = await decide(allow('c1', 'Rome'));
  const denied = await decide({ ...allow('c1', { city: 'Rome' }), decision: 'deny' });

  const params = [wrong, missing, text, denied].map(({ status, body }) => [status, body.error?.param]);
  expect(params).toEqual([
    [400, 'approvals[1].arguments.stops[1]'],
    [400, 'approvals[0].arguments.city'],
    [400, 'approvals[0].arguments'],
    [400, 'approvals[0].arguments'],
  ]);
  expect(wrong.body.error?.message).toContain('stops[1]: must be string');
  expect((await harness.findTurn(turn.id)).required_action?.approvals).toHaveLength(2);
});

test('an approval includes its arguments: only an equal decision may repeat', async ({ harness }) => {
  const turn = await startWaiting(harness, [card], [inKyoto('c1', 'send_postcard'), inKyoto('c2', 'send_postcard')]);
  const decide = async (approved: object) => (await post(harness, turn, 'approvals', { approvals: [approved] })).status;
  const rome = { city: 'Rome', stops: ['Pisa'] };

  const first = [await decide(allow('c1', rome)), await decide(allow('c2', { city: 'Kyoto' }))];
  const repeated = [await decide(allow('c1', { stops: ['Pisa'], city: 'Rome' })), await decide(allow('c2'))];
  const others = [
    await decide(allow('c1')),
    await decide(allow('c1', { city: 'Oslo' })),
    await decide(allow('c2', rome)),
  ];
  await harness.workUntilIdle();

  expect([first, repeated, others]).toEqual([
    [200, 200],
    [200, 200],
    [409, 409, 409],
  ]);
  const { rounds } = await harness.findTurn(turn.id);
  expect(rounds[0]?.results.map(({ content }) => content)).toEqual(['sent to Rome', 'sent to Kyoto']);
  expect(rounds[0]?.tool_calls[1]).toEqual(inKyoto('c2', 'send_postcard'));
});
