import { connect } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { newId } from '#core/id.ts';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import type { Turn } from '#core/turn/turn.ts';
import { startConversation } from '#services/start/start-turn.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { Contender, Setup } from '../contender.ts';
import { ANSWER, filledConfig, inputOf, turnRequestOf, type Work } from '../work.ts';
import { startPawl } from './start-pawl.ts';

/**
 * Opens Pawl without its API, comparable to the naive loop: the verbs of the API record and enqueue turns here, and
 * pubsub announces their ends. All other parts run as usual.
 */
export async function engine(setup: Setup): Promise<Contender> {
  const { pids, close } = await startPawl(setup, { parts: ['worker'] });
  const { databaseUrl, harness, work, mode } = setup;
  const urls = { databaseUrl, redisUrl: mode === 'redis' ? harness.redis?.url : undefined };
  const [jobQueue, pubsub, connection] = [await openJobQueue(urls), openPubsub(urls), connect(databaseUrl)];
  const waiting = new Map<string, () => void>();
  pubsub.subscribeToWakes({
    wake: ({ turnId }) => waiting.get(turnId)?.(),
    missed: () => {
      for (const check of waiting.values()) check();
    },
  });
  await waitUntil(() => pubsub.receivesWakes(), 'the wakes of turns are received');
  return {
    pids,
    playTurn: async () => {
      const { turn, wakeups } = await startConversation(connection.db, startOf(work), standingOf(work));
      const ended = waitForEnd(turn, { waiting, db: connection.db });
      await jobQueue.enqueue(wakeups.filter((wakeup) => wakeup.kind === 'turn'));
      const { status, output, rounds } = await ended;
      const isRight = status === 'completed' && rounds.length === work.rounds && output === ANSWER;
      if (!isRight) throw new Error(`A turn ended in an unexpected way: ${status} after ${rounds.length} rounds.`);
    },
    close: async () => {
      await close();
      await Promise.all([jobQueue.close(), pubsub.close(), connection.close()]);
    },
  };
}

function startOf(work: Work) {
  const taken = { input: [{ role: 'user' as const, content: inputOf(work) }], hashes: [], blobs: [] };
  const fixed = { project: 'default', keyId: null, trace: null, request: {}, needsSlot: false };
  return { ...fixed, conversationId: newId('conv'), config: filledConfig, taken };
}

function standingOf(work: Work) {
  const { model, tools } = turnRequestOf(work);
  return { config: { model, tools }, metadata: {} };
}

type Ends = { waiting: Map<string, () => void>; db: Db };

/** Waits for a turn that is not enqueued yet, and reads it at every message of a change. */
function waitForEnd({ id, project }: Turn, { waiting, db }: Ends): Promise<Turn> {
  const ended = Promise.withResolvers<Turn>();
  const check = async () => {
    const turn = await findTurn(db, project, id);
    if (turn?.completedAt) ended.resolve(turn);
  };
  waiting.set(id, () => void check().catch(ended.reject));
  return ended.promise.finally(() => waiting.delete(id));
}
