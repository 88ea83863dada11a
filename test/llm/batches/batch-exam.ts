import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { type BatchApiUnderTest, collect, openBatches, signal } from './open-batches.ts';
import { resultsExam } from './results-exam.ts';
import type { ScriptedResult } from './servers/scripted-batches.ts';

/** Tests the batch API of one wire against its scripted server: batches are sent, found and refused. */
export function batchExam(name: string, api: BatchApiUnderTest): void {
  const answered = (id: string): ScriptedResult => ({ id, status: 200, body: api.whole(`Hello ${id}`) });

  resultsExam(name, api);

  test(`${name}: no batch exists if its commit fails`, async () => {
    const { server, send } = await openBatches(api, ['req_1', 'req_2']);
    await using _ = server;
    const lost = new Error('the lease is lost');

    const sending = send({ commit: () => Promise.reject(lost) });

    await expect(sending).rejects.toBe(lost);
    expect(server.batches).toEqual([]);
  });

  test(`${name}: a batch is not sent if its lines cannot be read`, async () => {
    const { server, batches, happened } = await openBatches(api, ['req_1']);
    await using _ = server;
    const broken = new Error('no history');
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      yield batches.lineOf({ id: 'req_1', body: {} });
      throw broken;
    };
    const commit = async () => void happened.push('commit');

    const sending = batches.send({ key: 'key_1', model: 'some-model' }, lines(), { commit, signal });

    await expect(sending).rejects.toBe(broken);
    expect(happened).toEqual([]);
    expect(server.batches).toEqual([]);
  });

  test(`${name}: a lost batch is missing until the server lists it`, async () => {
    const { server, batches, send, unconfirmed } = await openBatches(api, ['req_1', 'req_2']);
    await using _ = server;
    server.script.creation = { ending: 'lost' };
    server.script.isHidden = true;

    await expect(send()).rejects.toMatchObject({ code: 'provider_unavailable' });

    expect(await batches.find(unconfirmed, signal)).toEqual({ kind: 'missing' });
    server.script.isHidden = false;
    const [batch] = server.batches;
    batch!.state = 'ended';
    batch!.results = [answered('req_2'), answered('req_1')];
    expect(await batches.find(unconfirmed, signal)).toEqual({ kind: 'found', id: batch?.id });
  });

  test(`${name}: a batch of other requests is not taken for the lost batch`, async () => {
    const { server, batches, send, unconfirmed } = await openBatches(api, ['req_1', 'req_2']);
    await using _ = server;
    await send({}, 'another_key');
    const [batch] = server.batches;
    batch!.state = 'ended';
    batch!.results = [answered('req_8'), answered('req_9')];

    const found = await batches.find({ ...unconfirmed, ids: new Set(['req_3', 'req_4']) }, signal);

    expect(found).toEqual({ kind: 'missing' });
  });

  test(`${name}: a batch is found on a later page of the list`, async () => {
    const { server, batches, sendEnded, unconfirmed } = await openBatches(api, ['req_1']);
    await using _ = server;
    const batch = await sendEnded([answered('req_1')]);
    const others = Array.from({ length: 250 }, (__, index) => ({ ...batch!, id: `other${index}`, key: 'x', ids: [] }));
    server.batches.unshift(...others);

    expect(await batches.find(unconfirmed, signal)).toEqual({ kind: 'found', id: batch.id });
  });

  test.each([500, 503, 529])(`${name}: a new batch may exist after a %i`, async (status) => {
    const { server, send } = await openBatches(api, ['req_1']);
    await using _ = server;
    server.script.creation = api.refusal(status, 'Try again.');

    await expect(send()).rejects.toBeInstanceOf(ProviderFailed);
  });

  test(`${name}: an answer without the id of the batch is no confirmation`, async () => {
    const { server, send } = await openBatches(api, ['req_1']);
    await using _ = server;
    server.script.creation = { body: { object: 'something' } };

    await expect(send()).rejects.toMatchObject({ code: 'provider_bad_response' });
  });

  test(`${name}: a refused batch has the reason of its server`, async () => {
    const { server, send } = await openBatches(api, ['req_1', 'req_2']);
    await using _ = server;
    const refusedBy = async (status: number, message: string) => {
      server.script.creation = api.refusal(status, message);
      return await send();
    };

    expect(await refusedBy(413, 'Request exceeds the maximum size')).toMatchObject({ isTooLarge: true });
    expect(await refusedBy(400, 'The batch has too many requests.')).toMatchObject({ isTooLarge: true, badLine: null });
    expect(await refusedBy(429, 'Too many requests in a minute.')).toMatchObject({
      ...{ kind: 'refused', isTooLarge: false, badLine: null },
      failure: { code: 'provider_rate_limited' },
    });
    expect(await refusedBy(403, 'No access to batches.')).toMatchObject({
      failure: { code: 'provider_permission_denied' },
    });
  });

  test(`${name}: a refused batch leaves no object at the server`, async () => {
    const { server, send } = await openBatches(api, ['req_1']);
    await using _ = server;
    server.script.creation = api.refusal(400, 'The window is wrong.');

    expect(await send()).toMatchObject({ kind: 'refused' });

    expect(server.kept()).toBe(0);
  });

  test(`${name}: each call of a batch ends with the reason of its signal`, async () => {
    const { server, batches, send, unconfirmed } = await openBatches(api, ['req_1']);
    await using _ = server;
    const reason = new Error('shutdown');
    const ended = AbortSignal.abort(reason);

    await expect(send({ signal: ended })).rejects.toBe(reason);
    await expect(batches.state('batches/b1', ended)).rejects.toBe(reason);
    await expect(batches.find(unconfirmed, ended)).rejects.toBe(reason);
    await expect(collect(batches.results('batches/b1', ended))).rejects.toBe(reason);
    expect(server.asked).toEqual([]);
  });

  test(`${name}: a failure of a batch does not quote the key`, async () => {
    const { server, send } = await openBatches(api, ['req_1']);
    await using _ = server;
    server.script.creation = api.refusal(403, 'The key sk-batch may not do this.');

    const sent = await send();

    expect(JSON.stringify(sent)).not.toContain('sk-batch');
  });
}
