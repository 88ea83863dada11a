import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { isTerminal } from '#core/turn/turn.ts';
import type { BatchAct } from '#simulator/batches/batch-request.ts';
import { startSimulator } from '#simulator/start-simulator.ts';
import { ageBatches } from '#test/harness/age-batches.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { makeGate } from '#test/harness/gate.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openToolRecorder } from '../../harness/servers/tool-recorder.ts';

const TURNS = 4;
const ROUNDS = 3;
/** The requests during which a worker is killed, with the number of batches at the model: in each round, and after. */
const KILLED_AT: { act: BatchAct; batches: number }[] = [
  { act: 'create', batches: 0 },
  { act: 'read', batches: 2 },
  { act: 'results', batches: ROUNDS },
  { act: 'delete', batches: ROUNDS },
];
/** A batch belongs to a dead worker for less than this. */
const LEASE_MS = 61_000;

const timeout = 480_000;

describeQueues(({ redis }) => {
  test('rounds by batch are each in one batch if a worker is killed in each', { timeout }, async () => {
    await using scene = await openScene(redis);
    const { harness, model, recorder } = scene;
    const turns = await Promise.all(Array.from({ length: TURNS }, (_, number) => startTurn(scene, `mark ${number}`)));

    for (const point of KILLED_AT) await scene.killAt(point);
    await scene.startWorker();
    const ended = await Promise.all(turns.map(({ id }) => untilEnded(scene, id)));
    await waitUntil(async () => (await countRows(scene)) === 0);

    expect(ended.map(({ status, output }) => [status, output])).toEqual(turns.map(() => ['completed', 'At last.']));
    expect(ended.map(({ rounds }) => rounds.length)).toEqual(turns.map(() => ROUNDS));
    const requests = model.batches.created.flatMap((batch) => batch.requests.map(({ id }) => id));
    expect(requests).toHaveLength(TURNS * ROUNDS);
    expect(new Set(requests).size).toBe(TURNS * ROUNDS);
    expect(model.batches.created).toHaveLength(ROUNDS);
    expect(model.batches.files()).toEqual([]);
    expect(new Set(recorder.calls.map(({ key }) => key)).size).toBe(TURNS * (ROUNDS - 1));
    expect(await countUsedRounds(harness)).toBe(TURNS * ROUNDS);
  });
});

/** Opens a model with batches, an API and tools. `killAt` kills the worker while the model holds its request. */
async function openScene(redis: boolean) {
  const disposed = new AsyncDisposableStack();
  const gate = makeGate();
  let isHeld: (act: BatchAct) => boolean = () => false;
  const model = await startSimulator({
    batchLimits: { delayMs: 0 },
    onBatchRequest: ({ act }) => (isHeld(act) ? gate.pass() : undefined),
  });
  disposed.defer(model.stop);
  const recorder = disposed.use(await openToolRecorder());
  const env = { OPENAI_BASE_URL: model.baseUrl, PAWL_BATCH_SIZE: String(TURNS) };
  const harness = disposed.use(await createHarness({ redis, env }));
  let worker: TestProcess | null = null;
  disposed.defer(async () => void (await worker?.kill('SIGKILL')));
  const startWorker = async () => {
    worker = await startProcess('worker', harness.env);
  };
  return {
    ...{ model, harness, recorder, startWorker },
    /** Starts a worker, and kills it while the model holds its request. Then the model carries the request out. */
    async killAt({ act, batches }: (typeof KILLED_AT)[number]) {
      isHeld = (received) => received === act && model.batches.created.length === batches;
      const held = gate.close(1);
      await startWorker();
      await held.reached;
      await worker?.kill('SIGKILL');
      isHeld = () => false;
      held.open();
      await ageBatches(harness.db, LEASE_MS);
    },
    [Symbol.asyncDispose]: () => disposed.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

function startTurn({ harness, recorder }: Scene, mark: string) {
  const rounds = Array.from({ length: ROUNDS - 1 }, () => ({ tools: [{ name: 'note', arguments: { mark } }] }));
  const execution = { kind: 'http', url: `${recorder.url}/note` };
  const tool = { name: 'note', description: 'Notes a mark', execution, effect: 'idempotent' };
  return harness.startTurn({ service_tier: 'batch', tools: [tool], input: scripted({ rounds, answer: 'At last.' }) });
}

function untilEnded({ harness }: Scene, id: string) {
  return waitUntil(async () => {
    const turn = await harness.findTurn(id);
    return isTerminal(turn.status) && turn;
  });
}

async function countRows({ harness }: Scene): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*)::int from batches) + (select count(*)::int from batch_requests)
      + (select count(*)::int from batch_answers) as count`.execute(harness.db);
  return rows[0]?.count ?? 0;
}

async function countUsedRounds({ db }: Scene['harness']): Promise<number> {
  const { rows } = await sql<{ rounds: number }>`select sum(rounds)::int as rounds from usage_records`.execute(db);
  return rows[0]?.rounds ?? 0;
}
