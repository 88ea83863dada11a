import { sql } from 'kysely';
import { askBatch } from '#core/checkpoint/batches/ask-batch.ts';
import { claimBatches } from '#core/checkpoint/batches/claim-batches.ts';
import { readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { takeBatches } from '#core/checkpoint/batches/take-batches.ts';
import { batchAccounts } from '#services/worker/batches/batch-accounts.ts';
import { scripted } from '#test/harness/scripted.ts';
import { type Scene, WITHOUT_BATCH_KEY } from '../lane.ts';
import type { Reference } from './reference.ts';

const MINUTE_MS = 60_000;
const answer = 'All is done.';
const look = { say: 'Let me look.', tools: [{ name: 'look', arguments: { url: '' } }] };

/** Writes and requests about batches, and the jobs of the first round. */
const POINTS = new RegExp(
  [
    '(?:claimBatch|lockRequests|insertBatch|removeLeft|isAlone|saveWithAnswers) #\\d$',
    '(?:send-batch|find-batch|work-batch|handle-refusal|write-checkpoint) › .* #\\d$',
    // A slow batch is polled more often.
    'poll-batch › .* #[1-3]$|of a batch #[1-3]$|run-round r[12] #\\d$',
  ].join('|'),
);

/** Writes and requests about batches from their creation on. */
const FROM_CREATION =
  /(?:find-batch|handle-refusal|work-batch) › |send-batch › (?:confirm|postpone)|poll-batch › .* #[12]$|of a batch #[1-3]$/;

const byBatch: Reference[] = [
  {
    of: 'a turn of two rounds by batch with a tool, whose batches are deleted',
    start: (scene) => startByBatch(scene, { rounds: [look], answer }),
  },
  {
    of: 'a turn of two rounds by batch with a tool, at an API that keeps no key',
    model: WITHOUT_BATCH_KEY,
    start: (scene) => startByBatch(scene, { rounds: [look], answer, batch: { delay_ms: 700 } }),
  },
  {
    of: 'a turn by batch whose batch is created without an answer',
    points: FROM_CREATION,
    start: (scene) => startByBatch(scene, { answer, batch: { lose_answer: true, times: 1 } }),
  },
  {
    of: 'a turn by batch whose batch is created without an answer, at an API that keeps no key',
    model: WITHOUT_BATCH_KEY,
    points: FROM_CREATION,
    // A list shows the batch before its results.
    start: (scene) => startByBatch(scene, { answer, batch: { lose_answer: true, times: 1, delay_ms: 3_000 } }),
  },
  {
    of: 'a turn by batch whose batch was never created by another worker',
    points: /(?:find|send)-batch ›|of a batch/,
    start: async (scene) => {
      await startEntered(scene, { answer });
      await commitUnsent(scene);
    },
  },
  {
    of: 'a turn by batch whose batch is refused twice',
    points: FROM_CREATION,
    start: (scene) => startByBatch(scene, { answer, batch: { refuse: true, times: 2 } }),
  },
  {
    of: 'a turn by batch whose batch is refused twice, at an API that keeps no key',
    model: WITHOUT_BATCH_KEY,
    points: FROM_CREATION,
    start: (scene) => startByBatch(scene, { answer, batch: { refuse: true, times: 2 } }),
  },
  {
    of: 'two turns by batch whose batch is too large',
    points: /splitBatch|send-batch › (?:readRequests|confirmBatch) #|(?:upload|create|read|delete) of a batch #[1-3]$/,
    start: async (scene) => {
      scene.harness.keptBatches.limits.maxRequests = 1;
      await startEntered(scene, { answer });
      await startEntered(scene, { answer });
    },
  },
  {
    of: 'a cancelled turn whose batch is at the model',
    start: async (scene) => {
      const id = await startSent(scene, { answer, batch: { end: 'never' } });
      await scene.call('POST', `/v1/turns/${id}/cancel`);
    },
  },
  {
    of: 'a cancelled turn whose batch has ended',
    start: async (scene) => {
      const id = await startSent(scene, { answer });
      await scene.call('POST', `/v1/turns/${id}/cancel`);
    },
  },
  {
    of: 'a cancelled turn with the answer of its batch',
    points: /settleAnswers #1$|work-batch ›|of a batch/,
    start: async (scene) => {
      const { harness } = scene;
      const id = await startSent(scene, { answer });
      await harness.advance(MINUTE_MS);
      await harness.workBatches();
      await scene.call('POST', `/v1/turns/${id}/cancel`);
    },
  },
  {
    of: 'a turn that leaves its batch before its deadline',
    start: async (scene) => {
      const more = { tier_fallback: 'default', limits: { deadline_seconds: 3_600 } };
      await startSent(scene, { answer, batch: { end: 'never' } }, more);
      await scene.harness.advance(50 * MINUTE_MS);
      await scene.harness.rescue();
    },
    points:
      /postponeStep|takeLease|ask r1|poll-batch › .* #[1-3]$|of a batch #[1-3]$|(?:work-batch|write-checkpoint) ›/,
  },
];

/** Turns with rounds by batch. The caller lets time pass for their batches. */
export const batchReferences: Reference[] = byBatch.map((reference) => ({
  points: POINTS,
  env: { PAWL_BATCH_WAIT_MS: '0' },
  react: makeDue,
  ...reference,
}));

/** Makes all batches due that no worker has. */
async function makeDue({ harness }: Scene): Promise<boolean> {
  await sql`update batches set due_at = now() where owner is null and due_at > now()`.execute(harness.db);
  return false;
}

function startByBatch({ startTurn, project }: Scene, script: object, more: object = {}): Promise<{ id: string }> {
  // The model counts equal requests of all plays as attempts. A fault of a first attempt is due in each play.
  const instructions = `This is play ${project.padEnd(LONGEST_NAME)}.`;
  return startTurn({ service_tier: 'batch', tools: ['look'], instructions, input: scripted(script), ...more });
}

/** The requests of all plays are equally long, so that their usage is the same. */
const LONGEST_NAME = 4;

/** Starts a turn and runs its job, so that its round waits for a batch. */
async function startEntered(scene: Scene, script: object, more: object = {}): Promise<string> {
  const { id } = await startByBatch(scene, script, more);
  await scene.harness.workUntilIdle();
  return id;
}

/** Starts a turn. Another worker has sent its batch. */
async function startSent(scene: Scene, script: object, more: object = {}): Promise<string> {
  const id = await startEntered(scene, script, more);
  await scene.harness.advance(MINUTE_MS);
  await scene.harness.workBatches();
  return id;
}

/** Commits a batch that is never created, since its worker dies. Then no listing can show it any more. */
async function commitUnsent({ harness }: Scene): Promise<void> {
  const { db, worker } = harness;
  const owner = 'lost';
  await claimBatches(db, { accounts: batchAccounts(worker.providers), waitMs: 0, size: 500 });
  for (const { id } of await takeBatches(db, { owner, limit: 1, leaseMs: 1_000 })) {
    const sent = (await readRequests(db, id)).map((request) => request.id);
    await askBatch(db, { id, owner, sent, left: [] });
  }
  await harness.advance(5 * MINUTE_MS);
}
