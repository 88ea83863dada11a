import type { Contender, Setup } from '../contender.ts';
import { ANSWER, turnRequestOf } from '../work.ts';
import { openPawlClient } from './pawl-client.ts';
import { type Deployment, startPawl } from './start-pawl.ts';

/** Opens Pawl as its clients use it: a turn is posted to the API, and a long poll answers at its end. */
export async function pawl(setup: Setup, deployment: Deployment = {}): Promise<Contender> {
  const { url, pids, close } = await startPawl(setup, deployment);
  const client = openPawlClient(url);
  const request = turnRequestOf(setup.work);
  return {
    pids,
    playTurn: async () => {
      const { id } = await client.post('/v1/turns', request);
      const ended = await client.waitForEnd(id);
      const isRight = ended.status === 'completed' && ended.round === setup.work.rounds && ended.output === ANSWER;
      if (!isRight) throw new Error(`A turn ended in an unexpected way: ${JSON.stringify(ended).slice(0, 1_000)}`);
    },
    close: async () => {
      await client.close();
      await close();
    },
  };
}
