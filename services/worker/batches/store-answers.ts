import type { OwnBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import { type AnsweredRequest, saveAnswers } from '#core/checkpoint/batches/save-answers.ts';
import type { BatchResult } from '#core/llm/batches/batch-server.ts';
import { replayAnswers } from '#core/llm/batches/replay-answers.ts';
import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { BatchAnswer } from '#core/turn/batches/batch-answer.ts';
import type { Usage } from '#core/turn/reply.ts';
import type { WorkerContext } from '../context.ts';
import { pricedUsage } from '../round/priced-usage.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import type { BatchWork } from './batch-work.ts';
import { countLate } from './count-late.ts';

/** The provider and the model of results that were read. `model` is `provider/model`. */
type AskedModel = { provider: Provider; model: string };

/**
 * Stores answers that were read, each once, and wakes their rounds in the same commit (R43). An answer that no round
 * waits for counts as late usage.
 */
export async function storeResults(
  results: readonly BatchResult[],
  by: AskedModel,
  context: WorkerContext,
): Promise<void> {
  const answers = await Promise.all(
    results.map(async ({ id, answer }) => ({ id, answer, usage: await usageOf(answer, by, context) })),
  );
  await store(answers, null, context);
}

/**
 * Stores answers that Pawl itself gives, for example to expired requests. Only the owner of the batch may do so, since
 * the requests of a batch that was sent again get other answers.
 */
export async function storeAnswers(
  answers: readonly BatchResult[],
  { batch, hold }: Pick<BatchWork, 'batch' | 'hold'>,
  context: WorkerContext,
): Promise<void> {
  const own = { id: batch.id, owner: hold.owner };
  await store(
    answers.map((answer) => ({ ...answer, usage: null })),
    own,
    context,
  );
}

async function store(answers: readonly AnsweredRequest[], by: OwnBatch | null, context: WorkerContext): Promise<void> {
  if (answers.length === 0) return;
  const write = { verb: 'saveAnswers', turnId: null };
  const { wakeups, late } = await writeCheckpoint(context, write, () => saveAnswers(context.db, answers, by));
  countLate(late, context);
  if (wakeups.length > 0) await context.enqueue(wakeups);
}

/** Returns the usage that an answer reports, at the price of batches, or null if it has none. */
async function usageOf(
  answer: BatchAnswer,
  { provider, model }: AskedModel,
  context: WorkerContext,
): Promise<Usage | null> {
  if (answer.kind !== 'answered' || answer.status < 200 || answer.status > 299) return null;
  const asked = splitModel(model);
  const exchange = Object.assign(replayAnswers([answer], asked), { isLast: true as const });
  const request = { ...NO_REQUEST, model: asked.model, exchange };
  try {
    const reply = await provider.ask(request, NEVER_ABORTED, () => {});
    return pricedUsage({ ...reply, serviceTier: 'batch' }, model, context);
  } catch {
    return null;
  }
}

const NEVER_ABORTED = new AbortController().signal;

/** A request without content. Only the usage of its answer is read. */
const NO_REQUEST: RoundRequest = {
  ...{ round: 1, model: '', instructions: null, messages: [{ role: 'user', content: '' }] },
  ...{ tools: [], declaredTools: null, mayCall: true, toolChoice: 'auto', turnChoice: 'auto', parallelToolCalls: null },
  ...{ temperature: null, topP: null, reasoningEffort: null, reasoningSummary: null, verbosity: null },
  ...{ stop: null, seed: null, textFormat: null, maxOutputTokens: null, promptCache: null, serviceTier: null },
  ...{ providerOptions: {}, requestId: 'usage' },
};
