import { sql } from 'kysely';
import { ageBatches } from '#test/harness/age-batches.ts';
import { type Filling, start } from './filling.ts';

/** Longer than a round waits until its batch is sent. */
const TWO_MINUTES_MS = 120_000;

/** The model of the batch that ends before the dump. */
const ANSWERED_MODEL = 'openai/answered';

/** Leaves two sent batches, and a request in no batch. The provider of a later version knows none of the batches. */
export async function fillBatches(filling: Filling): Promise<void> {
  const { db, workBatches } = filling.harness;
  await enter(filling, 'batch_answered', ANSWERED_MODEL);
  await enter(filling, 'batch_sent', 'openai/test');
  await ageBatches(db, TWO_MINUTES_MS);
  await workBatches();
  await enter(filling, 'batch_entered', 'openai/test');
}

/** Stores the answer of a batch, and leaves it to a later version to run its turn. */
export async function answerBatch({ harness: { db, workBatches } }: Filling): Promise<void> {
  await sql`update batches set due_at = now() - interval '1 second' where model = ${ANSWERED_MODEL}`.execute(db);
  await workBatches();
}

/** Starts a turn, and lets its round wait for a batch. */
async function enter(filling: Filling, scene: string, model: string): Promise<void> {
  const script = { answer: 'It took a while.', batch: { delay_ms: 0 } };
  const { id } = await start(filling, scene, { script, model, service_tier: 'batch' });
  await filling.harness.workUntilIdle();
  const { waiting } = await filling.main.findTurn(id);
  if (waiting?.for !== 'batch') throw new Error(`The turn of ${scene} does not wait for a batch.`);
}
