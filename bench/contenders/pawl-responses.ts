import type { Contender, ContenderSetup, Entry } from '../contender.ts';
import type { Mode } from '../mode.ts';
import { ANSWER, inputOf, MODEL } from '../work.ts';
import { openPawlClient, type PawlClient } from './pawl-client.ts';
import { startPawl } from './start-pawl.ts';

/** How a turn is asked for: as a turn and a long poll, or as a response that is held until it has ended. */
export type AskedAs = 'turn' | 'response';

/** Pawl, asked for turns without tools in one of both ways. */
export function pawlAskedFor(asked: AskedAs, mode: Mode): Entry {
  return { name: nameOf(asked, mode), kind: 'system', mode, open: (setup) => pawl(setup, mode, asked) };
}

/** The name of its row. */
export function nameOf(asked: AskedAs, mode: Mode): string {
  return asked === 'turn' ? `pawl-${mode}, POST and wait` : `pawl-${mode}, response`;
}

async function pawl(setup: ContenderSetup, mode: Mode, asked: AskedAs): Promise<Contender> {
  const { url, pids, close } = await startPawl(setup, { mode });
  const client = openPawlClient(url);
  const play = asked === 'turn' ? playTurn : playResponse;
  const request = { model: `openai/${MODEL}`, input: inputOf({ ...setup.work, rounds: 1 }) };
  return {
    pids,
    playTurn: async () => {
      const answer = await play(client, request);
      if (answer !== ANSWER) throw new Error(`A turn did not end as it should: ${answer}`);
    },
    close: async () => {
      await client.close();
      await close();
    },
  };
}

type Request = { model: string; input: string };
type SeenResponse = { output: { content: { text: string }[] }[] };

async function playTurn(client: PawlClient, request: Request): Promise<string | null> {
  const { id } = await client.post('/v1/turns', request);
  return (await client.waitForEnd(id)).output;
}

async function playResponse(client: PawlClient, request: Request): Promise<string | undefined> {
  const { output } = await client.post<SeenResponse>('/v1/responses', request);
  return output[0]?.content[0]?.text;
}
