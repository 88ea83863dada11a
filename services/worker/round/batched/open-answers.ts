import { readAnswers } from '#core/checkpoint/batches/read-answers.ts';
import type { Exchange } from '#core/llm/batches/batch-server.ts';
import { replayAnswers } from '#core/llm/batches/replay-answers.ts';
import { Interrupted, StillRunning } from '#core/llm/interrupted.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { BatchAnswer } from '#core/turn/batches/batch-answer.ts';
import { isBatched } from '#core/turn/tiers/change-tier.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';
import type { RoundResponses } from '../background/round-responses.ts';

/**
 * Returns the answers of a round by batch, or null for another round. A reply of the run reads the answers of its
 * requests in their order. A request without an answer enters the next batch.
 */
export function openAnswers(run: Run, context: Pick<WorkerContext, 'db'>): RoundResponses | null {
  const { turn } = run;
  if (!isBatched(turn)) return null;
  const { background } = turn.work;
  const inputs = turn.joined.length;
  const ageMs = () => (background?.ageMs ?? 0) + run.lease.ageMs();
  let ids: readonly string[] = background?.isBatch ? background.responses : [];
  return {
    kept: null,
    awaited: () => (ids.length === 0 ? null : { responses: [...ids], inputs, polls: 0, ageMs: ageMs(), isBatch: true }),
    forget: () => {
      ids = [];
    },
    forReply: (signal) => ({ asked: { exchange: exchangeOf(run, ids, context) }, signal, [Symbol.dispose]: () => {} }),
  };
}

/** Returns the exchange of a round that reads the answers of these requests at its first request. */
export function exchangeOf(
  { turn }: Pick<Run, 'turn'>,
  ids: readonly string[],
  context: Pick<WorkerContext, 'db'>,
): Exchange {
  let reading: Promise<Exchange> | undefined;
  const exchange = async (body: object) => {
    reading ??= answersOf(ids, context).then((answers) => replayAnswers(answers, splitModel(turn.work.model)));
    return await (await reading)(body);
  };
  return Object.assign(exchange, { hasAnswers: ids.length > 0 });
}

/** Returns the answers of requests. Throws `StillRunning` if a request has none yet. */
async function answersOf(ids: readonly string[], { db }: Pick<WorkerContext, 'db'>): Promise<BatchAnswer[]> {
  const answers = await readAnswers(db, ids).catch((cause: unknown) => {
    throw new Interrupted('the answers could not be read', { cause });
  });
  return answers.map((answer) => {
    if (!answer) throw new StillRunning({ isQueued: false, pollAfterMs: null });
    return answer;
  });
}
