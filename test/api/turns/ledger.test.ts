import { expect, test } from 'vitest';
import type { presentLedger } from '#core/turn/resource/ledger.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';

type Ledger = { data: ReturnType<typeof presentLedger>['rounds'] };

test('rounds of a turn show the approval, times, attempts and key of a call', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });
  await using tool = await openExternalServer(() => ({ status: 200, body: 'paid' }));
  const alpha = apiClient(harness.url, 'key-of-alpha');
  const input = scripted({ rounds: [{ tools: [{ name: 'pay_bill', arguments: { city: 'Rome' }, id: 'call_pay' }] }] });
  const tools = [httpTool('pay_bill', tool.url, { approval: 'always' })];

  const { id } = await alpha.startTurn({ input, tools });
  await harness.workUntilIdle();
  await alpha.call('POST', `/v1/turns/${id}/approvals`, {
    body: { approvals: [{ tool_call_id: 'call_pay', decision: 'allow', reason: 'It is due.' }] },
  });
  await harness.workUntilIdle();
  const { body } = await alpha.call<Ledger>('GET', `/v1/turns/${id}/rounds`);

  const [entry] = body.data[0]?.results ?? [];
  expect(entry).toMatchObject({
    ...{ tool_call_id: 'call_pay', status: 'success', attempts: 1, cached: false, effect: 'at_most_once' },
    ...{ idempotency_key: tool.caught[0]?.headers['idempotency-key'], waits_for: null, expires_at: null },
    approval: { decision: 'allow', reason: 'It is due.', by: expect.stringMatching(/^key_[0-9a-f]{8}$/) },
  });
  const times = [entry?.approval?.at, entry?.claimed_at, entry?.completed_at].map((time) => Date.parse(time ?? ''));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(Date.parse(entry?.started_at ?? '')).toBeLessThanOrEqual(times[2] ?? 0);
});

test('rounds of a turn show the denial of a call that never ran', async () => {
  await using harness = await createHarness();
  await using tool = await openExternalServer();
  const input = scripted({ rounds: [{ tools: [{ name: 'pay_bill', arguments: { city: 'Rome' }, id: 'call_pay' }] }] });

  const { id } = await harness.startTurn({ input, tools: [httpTool('pay_bill', tool.url, { approval: 'always' })] });
  await harness.workUntilIdle();
  const body = { approvals: [{ tool_call_id: 'call_pay', decision: 'deny', reason: 'Too much.' }] };
  await harness.call('POST', `/v1/turns/${id}/approvals`, { body });
  const ledger = await harness.call<Ledger>('GET', `/v1/turns/${id}/rounds`);

  expect(ledger.body.data[0]?.results[0]).toMatchObject({
    ...{ status: 'error', attempts: 0, started_at: null, claimed_at: null, waits_for: 'approval' },
    ...{ error: { category: 'permission_denied' }, approval: { decision: 'deny', reason: 'Too much.', by: null } },
  });
  expect(tool.caught).toHaveLength(0);
});
