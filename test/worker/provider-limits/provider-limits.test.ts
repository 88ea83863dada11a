import { expect, test } from 'vitest';
import { letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openLimits, passMinute, rowOf, secondWorker, startTurns, statusesOf } from './open-limits.ts';

const perMinute = (requests: number) => ({ 'openai/*': { requests_per_minute: requests } });

test('two workers make no more requests in a minute than the limit allows', async () => {
  await using harness = await openLimits(perMinute(3));
  const other = secondWorker(harness);
  const turns = await startTurns(harness, 5);
  while ((await harness.workOnce()) || (await harness.workOnce(other)));

  expect(harness.modelRequests).toHaveLength(3);
  const seen = await Promise.all(turns.map(({ id }) => harness.findTurn(id)));
  expect(seen.filter(({ status }) => status === 'completed')).toHaveLength(3);
  const waiting = seen.filter(({ status }) => status !== 'completed');
  expect(waiting).toMatchObject(
    [0, 1].map(() => ({ status: 'in_progress', waiting: { for: 'provider', until: expect.any(String) } })),
  );
});

test('turns that waited under a limit are asked a minute later, in order of arrival', async () => {
  await using harness = await openLimits(perMinute(2));
  const turns = await startTurns(harness, 6);
  await harness.workUntilIdle();

  const done = [await statusesOf(harness, turns)];
  for (let minute = 0; minute < 2; minute += 1) {
    await passMinute(harness);
    done.push(await statusesOf(harness, turns));
  }

  const [completed, waiting] = [Array(2).fill('completed'), Array(2).fill('in_progress')];
  expect(done).toEqual([
    [...completed, ...waiting, ...waiting],
    [...completed, ...completed, ...waiting],
    [...completed, ...completed, ...completed],
  ]);
  expect(await harness.db.selectFrom('provider_waits').selectAll().execute()).toEqual([]);
});

test('a wait under a limit uses no attempt, has no event, and is not counted', async () => {
  await using harness = await openLimits(perMinute(1));
  const [first, second] = await startTurns(harness, 2);
  await harness.workUntilIdle();
  for (let minute = 0; minute < 12; minute += 1) {
    await harness.startTurn({ input: 'Hi' });
    await harness.advance(1_000);
    await harness.wakeWaiting();
    await harness.workUntilIdle();
  }

  const whileWaiting = await rowOf(harness, second!.id);
  await passMinute(harness);

  expect(whileWaiting).toEqual({ attempts: 0, waited_ms: 0, rate_limited: true, starts: 0 });
  const [without, with_] = await Promise.all([first!, second!].map(({ id }) => harness.listEvents(id)));
  const types = (events: Record<string, unknown>[]) => events.map(({ type }) => type);
  expect(types(with_!)).toEqual(types(without!));
  expect(await harness.findTurn(second!.id)).toMatchObject({ status: 'completed', usage: { llm_calls: 1 } });
});

test('a turn waits under a limit for longer than ten minutes and asks no fallback', async () => {
  await using harness = await openLimits(perMinute(1), { PAWL_FALLBACK_AFTER_MS: '0' });
  const turns = await startTurns(harness, 14, { fallback_models: ['sim/other'] });
  await harness.workUntilIdle();

  for (let minute = 0; minute < 13; minute += 1) await passMinute(harness);

  expect(await statusesOf(harness, turns)).toEqual(Array(14).fill('completed'));
  expect(harness.modelRequests).toHaveLength(14);
  const last = turns.at(-1)!.id;
  expect(await harness.findTurn(last)).toMatchObject({ rounds: [{ model: 'openai/test' }] });
  expect((await harness.listEvents(last)).map(({ type }) => type)).not.toContain('model.changed');
});

test('the deadline of a turn ends its wait under a limit', async () => {
  await using harness = await openLimits(perMinute(1));
  await startTurns(harness, 1);
  const { id } = await harness.runTurn({ input: 'Hi', limits: { deadline_seconds: 30 } });

  const before = await harness.findTurn(id);
  await letTimePass(harness, 31_000);

  expect(before).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(await harness.findTurn(id)).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'deadline' }, rounds: [] },
  });
  expect(harness.modelRequests).toHaveLength(1);
});

test('a turn that waits under a limit is cancelled at once, and blocks no other turn', async () => {
  await using harness = await openLimits(perMinute(1));
  const turns = await startTurns(harness, 3);
  await harness.workUntilIdle();

  const cancelled = await harness.call('POST', `/v1/turns/${turns[1]!.id}/cancel`);
  await passMinute(harness);
  await harness.wakeWaiting();
  await harness.workUntilIdle();

  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  expect(await statusesOf(harness, turns)).toEqual(['completed', 'cancelled', 'completed']);
  expect(await harness.db.selectFrom('provider_waits').selectAll().execute()).toEqual([]);
});

test('a turn that no worker wakes checks for room when its wait ends', async () => {
  await using harness = await openLimits(perMinute(1));
  const turns = await startTurns(harness, 2);
  await harness.workUntilIdle();

  await letTimePass(harness);
  await letTimePass(harness);

  expect(await statusesOf(harness, turns)).toEqual(['completed', 'completed']);
  expect(await harness.db.selectFrom('provider_waits').selectAll().execute()).toEqual([]);
});

test('`until` is the time of the next room under the limit', async () => {
  await using harness = await openLimits(perMinute(2));
  await startTurns(harness, 2);
  await harness.workUntilIdle();
  await harness.advance(20_000);
  const [first, second] = await startTurns(harness, 2);
  await harness.workUntilIdle();

  const untilOf = async (id: string) => {
    const { waiting } = await harness.findTurn(id);
    return (Date.parse(waiting!.until!) - Date.parse(waiting!.since)) / 1_000;
  };

  expect(await untilOf(first!.id)).toBeGreaterThan(30);
  expect(await untilOf(first!.id)).toBeLessThan(40.5);
  expect(await untilOf(second!.id)).toBeLessThan(71);
});

test('a retry of a round is a request under the limit', async () => {
  await using harness = await openLimits(perMinute(2));
  const failing = scripted({ final: { fault: { kind: 'status', status: 500, retry_after: 10 } } });
  const { id } = await harness.runTurn({ input: failing });
  await letTimePass(harness, 31_000);
  await letTimePass(harness, 20_000);

  const whileFull = [harness.modelRequests.length, (await rowOf(harness, id)).attempts];
  await passMinute(harness);

  expect(whileFull).toEqual([2, 2]);
  expect([harness.modelRequests.length, (await rowOf(harness, id)).attempts]).toEqual([3, 3]);
});

test('limits of models and their provider apply together, and other models do not wait', async () => {
  await using harness = await openLimits({
    'openai/*': { requests_per_minute: 3 },
    'openai/small*': { requests_per_minute: 1 },
  });
  const small = await startTurns(harness, 2, { model: 'openai/small-1' });
  const others = await startTurns(harness, 3, { model: 'openai/large' });
  const simulated = await startTurns(harness, 2, { model: 'sim/demo' });
  await harness.workUntilIdle();

  expect(await statusesOf(harness, small)).toEqual(['completed', 'in_progress']);
  expect(await statusesOf(harness, others)).toEqual(['completed', 'completed', 'in_progress']);
  expect(await statusesOf(harness, simulated)).toEqual(['completed', 'completed']);
});
