import { connect } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/database.ts';
import { findTurn } from '#core/checkpoint/find-turn.ts';
import { newId } from '#core/id.ts';
import type { Live } from '#core/live/live.ts';
import { openLive } from '#core/live/open-live.ts';
import { openBell } from '#core/queue/open-bell.ts';
import type { Turn } from '#core/turn/turn.ts';
import { startConversation } from '#services/api/start-turn.ts';
import type { Contender, Mode, Site } from '../contender.ts';
import { filledConfig } from '../fill/filled-config.ts';
import { ANSWER, inputOf, turnRequestOf, type Work } from '../work.ts';
import { startPawl } from './start-pawl.ts';

/**
 * Pawl without its API, as the naive loop is measured: turns are recorded and rung for here, by the verbs the API uses, and
 * the wire tells when one has ended. Everything behind that is the whole of Pawl.
 */
export async function engine(site: Site, mode: Mode): Promise<Contender> {
  const { pids, close } = await startPawl(site, { mode, parts: ['worker'] });
  const { databaseUrl, ground, work } = site;
  const urls = { databaseUrl, redisUrl: mode === 'redis' ? ground.redis?.url : undefined };
  const [bell, live, connection] = [await openBell(urls), openLive(urls), connect(databaseUrl)];
  return {
    pids,
    playTurn: async () => {
      const { turn, rings } = await startConversation(connection.db, startOf(work), standingOf(work));
      const ended = waitForEnd(turn, { live, db: connection.db });
      await bell.ring(rings);
      const { status, output, rounds } = await ended;
      const isRight = status === 'completed' && rounds.length === work.rounds && output === ANSWER;
      if (!isRight) throw new Error(`A turn did not end as it should: ${status} after ${rounds.length} rounds.`);
    },
    close: async () => {
      await close();
      await Promise.all([bell.close(), live.close(), connection.close()]);
    },
  };
}

function startOf(work: Work) {
  const request = { input: inputOf(work) };
  return { project: 'default', conversationId: newId('conv'), config: filledConfig, request };
}

function standingOf(work: Work) {
  const { model, tools } = turnRequestOf(work);
  return { config: { model, tools }, metadata: {} };
}

/** Waits for a turn that nobody has rung for yet, and reads it when it is told that there is news. */
function waitForEnd({ id, project }: Turn, { live, db }: { live: Live; db: Db }): Promise<Turn> {
  const ended = Promise.withResolvers<Turn>();
  const look = async () => {
    const turn = await findTurn(db, project, id);
    if (turn?.completedAt) ended.resolve(turn);
  };
  const unwatch = live.watch(id, (message) => {
    if (message.kind === 'wake') look().catch(ended.reject);
  });
  return ended.promise.finally(unwatch);
}
