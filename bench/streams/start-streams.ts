import { connect } from '#core/checkpoint/connect.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { takeHold } from '#core/checkpoint/take-hold.ts';
import { newId } from '#core/id.ts';
import { openLive } from '#core/live/open-live.ts';
import type { Mode } from '../contender.ts';
import { openPawlClient } from '../contenders/pawl-client.ts';
import { startPawl } from '../contenders/start-pawl.ts';
import type { Ground } from '../ground/open-ground.ts';
import { startProgram } from '../ground/start-program.ts';
import { type Heap, tellHeap } from '../read-heap.ts';
import { runClosedLoop } from '../run-closed-loop.ts';
import { PLAIN_WORK, turnRequestOf } from '../work.ts';
import { type Speech, speak } from './speak.ts';

/** A server of streams with turns that are under way. */
export type StreamingServer = {
  url: string;
  pid: number;
  turnIds: string[];
  /** Says deltas on all turns; answers how many. */
  speak(speech: Omit<Speech, 'turns'>): Promise<number>;
  readHeap(): Promise<Heap>;
  close(): Promise<void>;
};

/** Pawl's API, with turns that this process is on: it tells of their rounds over the wire between processes, as a worker does. */
export async function startPawlStreams(ground: Ground, mode: Mode, turns: number): Promise<StreamingServer> {
  await ground.redis?.clear();
  const databaseUrl = await ground.postgres.freshDatabase();
  const teller = tellHeap(ground.folder, `pawl-${mode}`);
  const env = { ...teller.env, PAWL_MAX_CONNECTIONS: '100000', PAWL_MAX_STREAMS: '100000' };
  const wish = { mode, parts: ['api' as const], ...teller, env };
  const pawl = await startPawl({ ground, databaseUrl }, wish);
  const pid = pawl.pids.api ?? 0;
  const live = openLive({ databaseUrl, redisUrl: mode === 'redis' ? ground.redis?.url : undefined });
  const turnIds = await startTurns({ url: pawl.url, databaseUrl, turns });
  return {
    ...{ url: pawl.url, pid, turnIds },
    speak: (speech) =>
      speak({ ...speech, turns }, (turn, piece) => {
        const turnId = turnIds[turn] ?? '';
        const event = { type: 'output_text.delta' as const, turn_id: turnId, round: 1, attempt: 1, ...piece };
        live.tellWatchers({ kind: 'event', turnId, event });
      }),
    readHeap: () => teller.read(pid),
    close: async () => {
      await live.close();
      await pawl.close();
    },
  };
}

type Start = { url: string; databaseUrl: string; turns: number };

/** Turns whose first round is held, as if a worker asked a model that takes its time. */
async function startTurns({ url, databaseUrl, turns }: Start): Promise<string[]> {
  const client = openPawlClient(url);
  const { db, close } = connect(databaseUrl);
  const turnIds: string[] = [];
  try {
    await runClosedLoop({ turns, concurrency: 16 }, async () => {
      const { id } = await client.post('/v1/turns', turnRequestOf(PLAIN_WORK));
      const turn = await loadTurn(db, id);
      if (!turn || !(await takeHold(db, turn, newId('turn')))) throw new Error(`${id} could not be started.`);
      turnIds.push(id);
    });
    return turnIds;
  } finally {
    await client.close();
    await close();
  }
}

/** A bare Hono server that sends the same bytes. */
export async function startBareStreams(ground: Ground, turns: number): Promise<StreamingServer> {
  const teller = tellHeap(ground.folder, 'bare');
  const program = await startProgram({
    file: 'bench/bare-streams/main.ts',
    nodeOptions: [...ground.profiling('bare-streams'), ...teller.nodeOptions],
    env: teller.env,
    ready: /listen on (\S+)/,
    folder: ground.folder,
  });
  const turnIds = Array.from({ length: turns }, () => newId('turn'));
  return {
    ...{ url: program.said, pid: program.pid, turnIds },
    speak: async (speech) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ turnIds, ...speech });
      const response = await fetch(`${program.said}/speak`, { method: 'POST', headers, body });
      return ((await response.json()) as { said: number }).said;
    },
    readHeap: () => teller.read(program.pid),
    close: program.stop,
  };
}
