import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import type { BatchResult } from '#core/llm/batches/batch-server.ts';
import { replayAnswers } from '#core/llm/batches/replay-answers.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { asked, type BatchApiUnderTest, collect, openBatches, signal } from './open-batches.ts';
import type { ScriptedResult } from './servers/scripted-batches.ts';

const byId = (one: BatchResult, other: BatchResult) => (one.id < other.id ? -1 : 1);

/** Tests the state and the results of a batch of one wire. */
export function resultsExam(name: string, api: BatchApiUnderTest): void {
  const answered = (id: string): ScriptedResult => ({ id, status: 200, body: api.whole(`Hello ${id}`) });

  test(`${name}: a batch is sent once, and its results return in any order`, async () => {
    const { server, batches, sendRunning, happened } = await openBatches(api, ['req_1', 'req_2', 'req_3']);
    await using _ = server;

    const sent = await sendRunning();
    expect(happened).toEqual(['commit with 0 batches']);
    expect(server.batches).toMatchObject([{ id: sent.id, ids: ['req_1', 'req_2', 'req_3'], isCancelled: false }]);
    expect(await batches.state(sent.id, signal)).toEqual({ kind: 'running' });
    const [batch] = server.batches;
    batch!.state = 'ended';
    batch!.results = [
      answered('req_3'),
      { id: 'req_2', status: 400, body: api.refused },
      { id: 'req_1', without: 'cancelled' },
      answered('unknown'),
    ];
    expect(await batches.state(sent.id, signal)).toMatchObject({ kind: 'ended' });
    const results = (await collect(batches.results(sent.id, signal))).toSorted(byId);
    expect(results.map(({ id }) => id)).toEqual(['req_1', 'req_2', 'req_3', 'unknown']);
    expect(results.map(({ answer }) => answer)).toMatchObject([
      { kind: 'cancelled' },
      { kind: 'answered', status: 400 },
      { kind: 'answered', status: 200, text: JSON.stringify(api.whole('Hello req_3')) },
      { kind: 'answered', status: 200 },
    ]);
  });

  test(`${name}: an answer of a batch is read as a reply of the wire`, async () => {
    const { server, provider } = await openBatches(api, ['req_1']);
    await using _ = server;
    const text = JSON.stringify(api.whole('Hello'));

    const exchange = replayAnswers([{ kind: 'answered', status: 200, text }], asked);
    const reply = await provider.ask({ ...someRequest, exchange }, signal, () => {});

    expect(reply).toMatchObject({ text: 'Hello', finishReason: 'stop' });
    expect(server.asked).toEqual([]);
  });

  test(`${name}: cut results reject after their whole lines`, async () => {
    const { server, batches, sendEnded } = await openBatches(api, ['req_1', 'req_2']);
    await using _ = server;
    const sent = await sendEnded([answered('req_1'), answered('req_2')]);
    const read: BatchResult[] = [];
    const readAll = async () => {
      for await (const result of batches.results(sent.id, signal)) read.push(result);
    };
    server.script.results = (text) => ({ body: text.slice(0, -30), ending: 'cut' });

    await expect(readAll()).rejects.toMatchObject({ code: 'provider_unavailable' });

    expect(read).toHaveLength(1);
    server.script.results = (text) => ({ body: text.slice(0, -30) });
    await expect(readAll()).rejects.toMatchObject({ code: 'provider_bad_response' });
    expect(read).toHaveLength(2);
  });

  test(`${name}: results that are sent twice are read twice`, async () => {
    const { server, batches, sendEnded } = await openBatches(api, ['req_1']);
    await using _ = server;
    const sent = await sendEnded([answered('req_1'), answered('req_1')]);

    const results = await collect(batches.results(sent.id, signal));

    expect(results.map(({ id }) => id)).toEqual(['req_1', 'req_1']);
  });

  test(`${name}: a cancelled and an unknown batch`, async () => {
    const { server, batches, sendRunning } = await openBatches(api, ['req_1']);
    await using _ = server;
    const sent = await sendRunning();

    await batches.cancel(sent.id, signal);
    await batches.cancel(`${sent.id}0`, signal);

    expect(server.batches).toMatchObject([{ isCancelled: true }]);
    expect(await batches.state(`${sent.id}0`, signal)).toEqual({ kind: 'lost' });
  });

  test(`${name}: a batch is away if its server has no usable answer`, async () => {
    const { server, batches, unconfirmed } = await openBatches(api, ['req_1']);
    await using _ = server;
    for (const always of [api.refusal(503, 'No.'), api.refusal(429, 'No.'), { ending: 'lost' } as const]) {
      server.script.always = always;

      expect(await batches.state('batches/b1', signal)).toEqual({ kind: 'away' });
      await expect(batches.find(unconfirmed, signal)).rejects.toBeInstanceOf(ProviderFailed);
      await expect(collect(batches.results('batches/b1', signal))).rejects.toBeInstanceOf(ProviderFailed);
    }
  });

  test(`${name}: a removed batch has no object at the server`, async () => {
    const { server, batches, sendEnded } = await openBatches(api, ['req_1']);
    await using _ = server;
    const sent = await sendEnded([answered('req_1')]);
    const state = await batches.state(sent.id, signal);
    const all = { id: sent.id, files: state.kind === 'ended' ? state.files : [] };

    expect(await batches.remove(all, signal)).toBe(true);
    expect(await batches.remove(all, signal)).toBe(true);

    expect(server.kept()).toBe(0);
  });
}
