import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openChangingModel, WHICH_TRY } from '#test/harness/servers/changing-model.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { openFailoverPair } from '#test/harness/stores/open-failover-pair.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const timeout = 300_000;

/** The time in which the standby receives the begin of the turn, and no later write. */
const THINK_MS = 8_000;

describeQueues(({ redis }) => {
  test('a failover to a lagging standby continues its turns, and lost results stay lost', {
    timeout,
  }, async () => {
    await using folder = await newFolder('lossy');
    await using pair = await openFailoverPair({ folder: folder.path, synchronous: false });
    await using recorder = await openToolRecorder();
    await using model = await openChangingModel();
    await migrateAll(pair.url);
    const env = {
      DATABASE_URL: pair.url,
      PORT: '0',
      PAWL_EGRESS_ALLOW: '127.0.0.1',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      ...(redis && { REDIS_URL: testRedisUrl() }),
    };
    await using api = await startProcess('api', env);
    await using worker = await startProcess('worker', env);
    const { url } = await untilLogged(api, 'process.ready');
    const { call, findTurn, untilEnded, listEvents } = apiClient(String(url));
    const post = (key: string, body: unknown) =>
      call<TurnResource>('POST', '/v1/turns', { headers: { 'idempotency-key': key }, body });
    const allow = (id: string) =>
      call('POST', `/v1/turns/${id}/approvals`, {
        body: { approvals: [{ tool_call_id: PAYMENT, decision: 'allow' }] },
      });

    // Before the standby is parted: one turn has ended, one turn waits for a person, one turn asks its model.
    const early = await post('early', { model: 'openai/test', input: 'Early.' });
    await untilEnded(early.body.id);
    const paying = await post('paying', payment(recorder.url));
    await waitUntil(async () => expect((await findTurn(paying.body.id)).status).toBe('requires_action'));
    const booking = await post('booking', bookingOf(recorder.url));
    await pair.untilReplayed();
    pair.replication().impose('hold');

    // After that, the person allows, both turns make their calls, and another turn is accepted and ends.
    await allow(paying.body.id);
    await Promise.all([recorder.called('pay', 1), recorder.called('slow', 1)]);
    await waitUntil(async () => expect((await findTurn(paying.body.id)).status).toBe('completed'));
    const late = await post('late', { model: 'openai/test', input: 'Late.' });
    await untilEnded(late.body.id);
    await pair.killPrimary();
    await pair.promote();
    await waitUntil(async () => expect((await call('GET', '/readyz')).status).toBe(200));

    const gone = await call('GET', `/v1/turns/${late.body.id}`);
    const again = await post('late', { model: 'openai/test', input: 'Late.' });
    const same = await post('early', { model: 'openai/test', input: 'Early.' });
    await untilLogged(worker, 'step.lost', { turn_id: booking.body.id });
    const asksAgain = await findTurn(paying.body.id);
    await allow(paying.body.id);
    await recorder.called('slow', 2);
    recorder.release();
    const [paid, booked, answered] = await Promise.all([paying, booking, again].map(({ body }) => untilEnded(body.id)));
    const events = await listEvents(booking.body.id);

    expect([gone.status, again.status, same.status]).toEqual([404, 202, 202]);
    expect(again.body.id).not.toBe(late.body.id);
    expect(same.body.id).toBe(early.body.id);
    expect(asksAgain.status).toBe('requires_action');
    expect([paid, booked, answered].map((turn) => turn?.status)).toEqual(['completed', 'completed', 'completed']);
    // The standby had the round of one call, which is repeated under its key. The round of the other call is asked
    // again.
    const keysOf = (tool: string) => recorder.calls.filter((one) => one.tool === tool).map(({ key }) => key);
    expect(keysOf('pay')).toEqual([keysOf('pay')[0], keysOf('pay')[0]]);
    expect(recorder.calls.flatMap(({ tool, mark }) => (tool === 'slow' ? mark : []))).toEqual(['seat 1', 'seat 2']);
    expect(booked?.output).toBe('Got {"done":"seat 2"}');
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index + 1));
    for (const part of [api, worker]) await part.kill('SIGKILL');
  });
});

const PAYMENT = 'call_pay';

const tool = (name: string, url: string) => ({
  name,
  description: 'Does what is counted',
  parameters: { type: 'object', properties: { mark: { type: 'string' } } },
  execution: { kind: 'http', url: `${url}/${name}` },
  effect: 'at_most_once',
});

function payment(url: string) {
  const rounds = [{ tools: [{ id: PAYMENT, name: 'pay', arguments: { mark: 'bill' } }] }];
  const input = scripted({ rounds, answer: 'Paid.' });
  return { model: 'openai/test', input, tools: [{ ...tool('pay', url), approval: 'always' }] };
}

/** Makes a request with a tool that answers when released. The number of model requests decides the booking. */
function bookingOf(url: string) {
  const call = { id: `call_${WHICH_TRY}`, name: 'slow', arguments: { mark: `seat ${WHICH_TRY}` } };
  const input = scripted({ rounds: [{ tools: [call], think_ms: THINK_MS }], answer: 'Got {{results}}' });
  return { model: 'openai/test', input, tools: [tool('slow', url)] };
}
