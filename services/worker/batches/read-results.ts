import type { BatchResult } from '#core/llm/batches/batch-server.ts';
import type { WorkerContext } from '../context.ts';
import { type BatchWork, openPatience } from './batch-work.ts';
import { storeResults } from './store-answers.ts';

/** The answers to store in one statement: a few, and not too many bytes. */
const MOST_ANSWERS = 50;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * Reads the results of a batch line by line, and stores the answers to `ids`. Other results are left out: unknown
 * ids, results of other batches, and repeated results. The read ends with the last answer, and fails if the server
 * brings no further answer in time.
 */
export async function readResults(
  { batch, hold, server, provider }: BatchWork,
  ids: readonly string[],
  context: WorkerContext,
): Promise<void> {
  const { providerId, model, requests } = batch;
  const by = { provider, model };
  const waiting = new Set(ids);
  // Results without ids are in the order of the requests, which is known as long as all requests are.
  const order = ids.length === requests ? ids : undefined;
  let next: BatchResult[] = [];
  let characters = 0;
  using patience = openPatience(hold);
  try {
    for await (const result of server.results(providerId ?? '', patience.signal, order)) {
      if (!waiting.delete(result.id)) continue;
      patience.renew();
      next.push(result);
      characters += result.answer.kind === 'answered' ? result.answer.text.length : 0;
      if (waiting.size === 0) break;
      if (next.length < MOST_ANSWERS && characters < MOST_CHARACTERS) continue;
      await storeResults(next, by, context);
      [next, characters] = [[], 0];
    }
  } finally {
    if (!hold.signal.aborted) await storeResults(next, by, context);
  }
}
