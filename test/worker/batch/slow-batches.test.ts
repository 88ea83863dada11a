import { expect, vi } from 'vitest';
import { type LeavingHandler, makeSlowBatches } from '#services/worker/batch/slow-batches.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder, type ToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const quick = { input: scripted({ answer: 'Done.' }) };

/** Returns a turn with a call that lasts until the recorder releases it. */
function hanging({ url }: ToolRecorder, effect: 'idempotent' | 'at_most_once' = 'at_most_once') {
  const input = scripted({ rounds: [{ tools: [{ name: 'book', arguments: { city: 'Graz' } }] }], answer: 'Booked.' });
  return { input, tools: [httpTool('book', `${url}/slow`, { effect })] };
}

describeQueue(({ redis }) => {
  test('a turn ends although more batches hang than the worker has slots', async ({ recorder }) => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness, { concurrency: 4 });
    const stuck = await Promise.all(Array.from({ length: 9 }, () => harness.startTurn(hanging(recorder))));
    await recorder.called('slow', 9);

    const { id } = await harness.startTurn(quick);
    const ended = await harness.untilEnded(id);
    const atWork = harness.worker.heartbeat.count();
    recorder.release();
    const released = await Promise.all(stuck.map((turn) => harness.untilEnded(turn.id)));

    expect([ended.status, atWork]).toEqual(['completed', 9]);
    expect(released.map((turn) => turn.status)).toEqual(stuck.map(() => 'completed'));
    expect(recorder.calls).toHaveLength(9);
  });

  test('a closing worker waits for a batch without a slot, and enqueues its round', async () => {
    await using recorder = await openToolRecorder();
    await using harness = await createHarness({ redis });
    const worker = await startBackgroundWorker(harness, { concurrency: 1 });
    const { id } = await startSlow(harness, recorder);

    const closing = worker.close(60_000);
    recorder.release();
    await closing;

    // A running fetch may still bring the worker the round that the batch enqueues.
    expect(harness.worker.heartbeat.count()).toBe(0);
    expect((await harness.findTurn(id)).rounds[0]?.results).toMatchObject([{ status: 'success' }]);
    await harness.workUntilIdle();
    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
    expect(recorder.calls).toHaveLength(1);
  });

  test('a worker that may not wait hands back a batch that released its slot', async ({ recorder }) => {
    await using harness = await createHarness({ redis });
    const worker = await startBackgroundWorker(harness, { concurrency: 1 });
    const { id } = await startSlow(harness, recorder, 'idempotent');

    await worker.close(0);
    const left = await harness.db
      .selectFrom('turn_states')
      .select(['lease_owner', 'step', 'generation', 'starts'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

    expect([harness.worker.heartbeat.count(), left]).toEqual([
      0,
      { lease_owner: null, step: 'b1', generation: expect.toSatisfy(atLeastOne), starts: 0 },
    ]);
    recorder.release();
    await using next = await createHarness({ redis, env: { ...harness.env } });
    await next.workUntilIdle();
    expect(await next.findTurn(id)).toMatchObject({ status: 'completed' });
    expect(new Set(recorder.calls.map((call) => call.key)).size).toBe(1);
  });
});

/** A slow machine may have rescued the batch once before its worker handed it back. */
const atLeastOne = (generation: number) => generation >= 1;

/** Starts a turn with a batch that releases the only slot of its worker. Another turn has ended by then. */
async function startSlow(harness: Harness, recorder: ToolRecorder, effect?: 'idempotent') {
  const turn = await harness.startTurn(hanging(recorder, effect));
  await recorder.called('slow');
  await harness.untilEnded((await harness.startTurn(quick)).id);
  return turn;
}

test('another worker runs a batch that released its slot if its worker dies', async ({ harness }) => {
  await using recorder = await openToolRecorder();
  const { id } = await harness.startTurn(hanging(recorder, 'idempotent'));
  await harness.workOnce();
  const acknowledged = vi.fn();
  void harness.workOnce(makeSlowBatches(1).letLeave(harness.handle)).then(acknowledged);
  await recorder.called('slow');
  await waitUntil(async () => expect(await harness.beat().then(() => acknowledged.mock.calls)).toHaveLength(1));

  await harness.advance(7_000);
  await using next = await createHarness({ env: { ...harness.env } });
  const rescued = await next.rescue();
  const working = next.workUntilIdle();
  await recorder.called('slow', 2);
  recorder.release();
  await working;

  expect(rescued).toBe(1);
  expect(await next.untilEnded(id)).toMatchObject({ status: 'completed' });
  expect(new Set(recorder.calls.map((call) => call.key)).size).toBe(1);
});

test('a batch keeps its slot while 4 batches per slot have released their slots', async () => {
  const slowBatches = makeSlowBatches(1);
  const jobs = Array.from({ length: 5 }, () => startJob(slowBatches));

  const first = jobs.map((job) => job.leaveSlot());
  jobs[0]?.end();
  await jobs[0]?.done;
  const second = jobs[4]?.leaveSlot();

  expect([first, second]).toEqual([[true, true, true, true, false], true]);
  await Promise.all(jobs.map((job) => job.acknowledged));
});

test('a job without its slot has no hand-over, and a closing worker keeps slots', async () => {
  const slowBatches = makeSlowBatches(1);
  const [slow, late] = [startJob(slowBatches), startJob(slowBatches)];
  const before = slow.handsOver();
  slow.leaveSlot();

  const closing = slowBatches.close(60_000);
  const mayLeave = late.leaveSlot();
  slow.end();
  await closing;

  expect([before, slow.handsOver(), late.handsOver(), mayLeave]).toEqual(['turns-openai', null, 'turns-openai', false]);
});

/** Starts a job that runs until the test ends it. */
function startJob({ letLeave }: ReturnType<typeof makeSlowBatches>) {
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const handed: Parameters<LeavingHandler>[0][] = [];
  const work = letLeave((job) => {
    handed.push(job);
    return done;
  });
  const data = { turnId: 'turn_1', step: 'b1', generation: 0 };
  const acknowledged = work({ name: 'run-tool-batch', data, handsOver: () => 'turns-openai' });
  return {
    done,
    end,
    acknowledged,
    leaveSlot: () => handed[0]?.leaveSlot?.(),
    handsOver: () => handed[0]?.handsOver?.(),
  };
}
