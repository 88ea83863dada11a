import { expect } from 'vitest';
import { recordWorker } from '#core/checkpoint/workers.ts';
import { toolsQueue } from '#core/queue/job.ts';
import { loadedTools } from '#core/tools/loaded-tools.ts';
import { toolRegistry } from '#core/tools/registry.ts';
import type { WorkerContext } from '#services/worker/context.ts';
import { jobHandler } from '#services/worker/job-handler.ts';
import { makeHeartbeat } from '#services/worker/lease/heartbeat.ts';
import { makeTurnCache } from '#services/worker/turn-cache.ts';
import { openWorker } from '#services/worker/worker.ts';
import { createHarness, type Harness, letTimePass } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const MINUTE = 60_000;

const city = { city: 'Graz' };
const calls = (...names: string[]) =>
  scripted({ rounds: [{ tools: names.map((name) => ({ name, arguments: city })) }], answer: 'Done.' });
const postcard = { input: calls('send_postcard'), tools: ['send_postcard'] };

/** Returns the context of a worker without tools and MCP servers. */
function withoutTools({ worker, db, log }: Harness): WorkerContext {
  const tools = toolRegistry([]);
  const mcp = { ...worker.mcp, names: [], server: () => undefined };
  return { ...worker, tools, mcp, heartbeat: makeHeartbeat(db, log), turnCache: makeTurnCache(db, worker.memory) };
}

async function workWithoutTools(harness: Harness): Promise<void> {
  const handle = jobHandler(withoutTools(harness));
  while (await harness.workOnce(handle));
}

async function rowOf({ db }: Harness, id: string) {
  const columns = ['step', 'attempts', 'lease_owner', 'failed_requests'] as const;
  const turn = await db.selectFrom('turn_states').select(columns).where('id', '=', id).executeTakeFirstOrThrow();
  const claims = await db.selectFrom('tool_calls').select('claimed_by').where('turn_id', '=', id).execute();
  return { ...turn, claims: claims.map(({ claimed_by }) => claimed_by) };
}

test('a call waits for a worker with its tool, uses no attempt, and runs once', async ({ harness }) => {
  const { id } = await harness.startTurn(postcard);

  await workWithoutTools(harness);
  const { status, waiting } = await harness.findTurn(id);
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await harness.advance(MINUTE);
    await harness.rescue();
    await workWithoutTools(harness);
  }
  const later = await harness.findTurn(id);
  const row = await rowOf(harness, id);
  await letTimePass(harness, MINUTE);

  const note =
    'The turn waits for a worker that has loaded send_postcard. Start workers with the same PAWL_TOOLS and PAWL_MCP.';
  expect([status, waiting]).toEqual(['in_progress', { for: 'slot', since: expect.any(String), note }]);
  expect(later.waiting).toEqual(waiting);
  expect(row).toEqual({ step: 'b1', attempts: 0, lease_owner: null, failed_requests: 0, claims: [null] });
  const ended = await harness.findTurn(id);
  expect([ended.status, ended.waiting, ended.output]).toEqual(['completed', null, 'Done.']);
  expect(ended.rounds[0]!.results[0]).toMatchObject({ status: 'success', attempts: 1 });
});

test('a call is enqueued at once in the queue of a worker that has loaded its tool', async ({ harness }) => {
  const tools = loadedTools(harness.parts);
  await recordWorker(harness.db, { id: 'wrk_without', concurrency: 1 });
  await recordWorker(harness.db, { id: 'wrk_with', concurrency: 1, tools });
  const { id } = await harness.startTurn(postcard);
  const lacking = jobHandler(withoutTools(harness));

  await harness.workOnce(lacking);
  await harness.workOnce(lacking);
  const isTaken = await harness.parts.jobQueue.workOnce([toolsQueue(tools)], harness.handle);
  await harness.workUntilIdle();

  expect(isTaken).toBe(true);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Done.' });
});

test('the other calls of the batch run at once, and run once', async ({ harness, recorder }) => {
  const tools = [httpTool('book', recorder.url, { effect: 'at_most_once' }), 'send_postcard'];
  const { id } = await harness.startTurn({ input: calls('book', 'send_postcard'), tools });

  await workWithoutTools(harness);
  const made = recorder.calls.length;
  await letTimePass(harness, MINUTE);

  const { status, rounds } = await harness.findTurn(id);
  expect([made, recorder.calls.length, status]).toEqual([1, 1, 'completed']);
  expect(rounds[0]!.results.map(({ status }) => status)).toEqual(['success', 'success']);
});

test('a turn ends at its deadline if no worker loads its tool', async ({ harness }) => {
  const { id } = await harness.startTurn({ ...postcard, limits: { deadline_seconds: 90 } });

  await workWithoutTools(harness);
  await harness.advance(2 * MINUTE);
  await harness.rescue();
  await workWithoutTools(harness);

  expect(await harness.findTurn(id)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'deadline' },
  });
});

test('`/readyz` names the tools that no worker has loaded, until a worker loads them', async ({ harness }) => {
  const notes = async () => ((await (await fetch(`${harness.url}/readyz`)).json()) as { notes: string[] }).notes;
  await recordWorker(harness.db, { id: 'wrk_without', concurrency: 1 });

  const lacking = await notes();
  await recordWorker(harness.db, { id: 'wrk_with', concurrency: 1, tools: loadedTools(harness.parts) });

  expect(lacking).toEqual([
    'No running worker has loaded weather_lookup, send_postcard, note_visit. Turns that call these tools wait. Start workers with the same PAWL_TOOLS and PAWL_MCP.',
  ]);
  expect(await notes()).toEqual([]);
});

describeQueue(({ redis }) => {
  test('turns end if only some workers have loaded their tool', { timeout: 60_000 }, async () => {
    await using harness = await createHarness({ redis });
    const open = (context: WorkerContext) => openWorker(context, harness.parts.jobQueue, 2);
    const workers = await Promise.all([open(withoutTools(harness)), open(withoutTools(harness)), open(harness.worker)]);
    const started = await Promise.all(Array.from({ length: 12 }, () => harness.startTurn(postcard)));

    const ended = await Promise.all(started.map(({ id }) => harness.untilEnded(id)));
    await Promise.all(workers.map((worker) => worker.close(0)));

    const results = ended.map(({ rounds }) => rounds[0]!.results[0]);
    expect(results.map((result) => [result?.status, result?.attempts])).toEqual(started.map(() => ['success', 1]));
  });
});
