import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { FIRST, refusal, startModels } from '#test/worker/round/fallback-models.ts';
import { openLimits, passMinute, rowOf, startTurns, statusesOf } from './open-limits.ts';

const limits = (given: object) => ({ PAWL_PROVIDER_LIMITS: JSON.stringify(given) });

test('turns under a limit are not woken repeatedly while their model is rate-limited', async () => {
  await using models = await startModels(limits({ 'openai/*': { requests_per_minute: 2 } }));
  const { harness, first } = models;
  first.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  const turns = await startTurns(harness, 4, { model: FIRST });
  await harness.workUntilIdle();
  const clock = { now: 0 };
  harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub, () => clock.now);
  harness.worker.rateLimits.refused(FIRST, 1_000);
  clock.now += 1_000;
  // The probe is refused, too. The wait counts from then on.
  harness.worker.rateLimits.refused(FIRST, 60_000);
  await harness.advance(60_500);

  for (let look = 0; look < 12; look += 1) {
    await harness.wakeWaiting();
    await harness.workUntilIdle();
    await sql`update provider_waits set woken_at = woken_at - interval '3 seconds'`.execute(harness.db);
  }

  const rows = await Promise.all(turns.slice(2).map(({ id }) => rowOf(harness, id)));
  expect(Math.max(...rows.map(({ waited_ms }) => waited_ms))).toBeLessThan(61_000);
  expect(await statusesOf(harness, turns)).toEqual(['completed', 'completed', 'in_progress', 'in_progress']);
  const { rows: turnsNow } = await sql<{ generation: number }>`select generation from turn_states order by id`.execute(
    harness.db,
  );
  expect(Math.max(...turnsNow.map(({ generation }) => generation))).toBeLessThan(6);
});

test('a 429 under a limit is handled like any 429, and its request stays booked', async () => {
  await using models = await startModels(limits({ 'openai/*': { requests_per_minute: 5 } }));
  const { harness, first } = models;
  first.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  first.answerNext({ body: openaiWire.reply({ text: ['Hello.'] }) });
  first.answer(refusal(429, 'rate_limit_exceeded', { 'retry-after': '20' }));
  const [turn] = await startTurns(harness, 1, { model: FIRST });
  await harness.workUntilIdle();

  expect(await harness.findTurn(turn!.id)).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect((await harness.listEvents(turn!.id)).map(({ type }) => type)).toContain('step.retrying');
  expect((await rowOf(harness, turn!.id)).waited_ms).toBeGreaterThan(19_000);
});

test('a turn that waits under a limit has no slot, and requests a slot on its wakeup', async () => {
  const projects = { a: { keys: ['a'], max_active_turns: 1 }, b: { keys: ['b'] } };
  await using harness = await openLimits(
    { 'openai/limited': { requests_per_minute: 1 } },
    { PAWL_PROJECTS: JSON.stringify(projects) },
  );
  const client = apiClient(harness.url, 'a');
  const slots = async () =>
    (await harness.db.selectFrom('work').select('slot').orderBy('id').execute()).map(({ slot }) => slot);
  const run = async (model: string) => {
    const { id } = await client.startTurn({ model, input: 'Hi' });
    await harness.admit();
    await harness.workUntilIdle();
    return id;
  };
  const ids = [await run('openai/limited'), await run('openai/limited')];
  const whileWaiting = await slots();
  const other = await run('openai/free');

  await harness.advance(60_500);
  await harness.wakeWaiting();
  const woken = await slots();
  await harness.admit();
  await harness.workUntilIdle();

  expect([whileWaiting, woken]).toEqual([['none'], ['none']]);
  expect(await client.findTurn(other)).toMatchObject({ status: 'completed' });
  for (const id of ids) expect(await client.findTurn(id)).toMatchObject({ status: 'completed' });
});

test('a project without a free slot blocks no turn of another project under a limit', async () => {
  const projects = { a: { keys: ['a'], max_active_turns: 1 }, b: { keys: ['b'] } };
  await using harness = await openLimits(
    { 'openai/limited': { concurrency: 1 } },
    { PAWL_PROJECTS: JSON.stringify(projects) },
  );
  const [a, b] = [apiClient(harness.url, 'a'), apiClient(harness.url, 'b')];
  const start = async (client: typeof a, model: string) => {
    const turn = await client.startTurn({ model, input: 'Hi' });
    await harness.admit();
    return turn;
  };
  const held = harness.holdModel(2);
  const asking = await start(b, 'openai/limited');
  const working = [harness.workOnce()];
  await held.reached;
  const first = await start(a, 'openai/limited');
  await harness.workOnce();
  const second = await start(b, 'openai/limited');
  await harness.workOnce();
  // A turn of another model holds the only slot of project a.
  await start(a, 'openai/free');
  working.push(harness.workOnce());
  const slot = sql`update work set lease_until = now() - interval '1 second' where id = ${asking.id}`;
  await slot.execute(harness.db);

  for (let look = 0; look < 3; look += 1) {
    await harness.wakeWaiting();
    await harness.admit();
    while (await harness.workOnce());
    await sql`update provider_waits set woken_at = woken_at - interval '3 seconds'`.execute(harness.db);
  }
  const whileHeld = [(await a.findTurn(first.id)).status, (await b.findTurn(second.id)).status];
  held.open();
  await Promise.all(working);
  await harness.admit();
  await passMinute(harness);

  expect(whileHeld).toEqual(['in_progress', 'completed']);
  expect((await a.findTurn(first.id)).status).toBe('completed');
});
