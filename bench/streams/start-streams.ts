import { join } from 'node:path';
import { connect } from '#core/checkpoint/connect.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { newId } from '#core/id.ts';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { startProgram } from '#test/harness/parts/start-program.ts';
import { openPawlClient } from '../contenders/pawl-client.ts';
import { startPawl } from '../contenders/start-pawl.ts';
import type { Mode } from '../mode.ts';
import type { BenchHarness } from '../open-harness.ts';
import { type Heap, reportHeap } from '../read-heap.ts';
import { runClosedLoop } from '../run-closed-loop.ts';
import { PLAIN_WORK, turnRequestOf } from '../work.ts';
import { type DeltaLoad, sendDeltas } from './send-deltas.ts';

/** A server of streams with turns in progress. */
export type StreamingServer = {
  url: string;
  pid: number;
  turnIds: string[];
  /** Sends deltas on all turns; returns how many. */
  sendDeltas(load: Omit<DeltaLoad, 'turns'>): Promise<number>;
  readHeap(): Promise<Heap>;
  close(): Promise<void>;
};

/** Pawl's API with turns of which this process publishes the deltas over pubsub, as a worker does. */
export async function startPawlStreams(harness: BenchHarness, mode: Mode, turns: number): Promise<StreamingServer> {
  await harness.redis?.clear();
  const databaseUrl = await harness.postgres.freshDatabase();
  const heapReporter = reportHeap(harness.folder, `pawl-${mode}`);
  const env = { ...heapReporter.env, PAWL_MAX_CONNECTIONS: '100000', PAWL_MAX_STREAMS: '100000' };
  const options = { mode, parts: ['api' as const], ...heapReporter, env };
  const pawl = await startPawl({ harness, databaseUrl }, options);
  const pid = pawl.pids.api ?? 0;
  const pubsub = openPubsub({ databaseUrl, redisUrl: mode === 'redis' ? harness.redis?.url : undefined });
  const turnIds = await startTurns({ url: pawl.url, databaseUrl, turns });
  return {
    ...{ url: pawl.url, pid, turnIds },
    sendDeltas: (load) =>
      sendDeltas({ ...load, turns }, (turn, delta) => {
        const turnId = turnIds[turn] ?? '';
        const event = { type: 'output_text.delta' as const, turn_id: turnId, round: 1, attempt: 1, ...delta };
        pubsub.publishToTurn({ kind: 'event', turnId, event });
      }),
    readHeap: () => heapReporter.read(pid),
    close: async () => {
      await pubsub.close();
      await pawl.close();
    },
  };
}

type Start = { url: string; databaseUrl: string; turns: number };

/** Turns with a lease on their first round, as if a worker waited for a slow model. */
async function startTurns({ url, databaseUrl, turns }: Start): Promise<string[]> {
  const client = openPawlClient(url);
  const { db, close } = connect(databaseUrl);
  const turnIds: string[] = [];
  try {
    await runClosedLoop({ turns, concurrency: 16 }, async () => {
      const { id } = await client.post('/v1/turns', turnRequestOf(PLAIN_WORK));
      const turn = await loadTurn(db, id);
      if (!turn || !(await takeLease(db, turn, newId('turn')))) throw new Error(`${id} could not be started.`);
      turnIds.push(id);
    });
    return turnIds;
  } finally {
    await client.close();
    await close();
  }
}

/** A bare Hono server that sends the same bytes. */
export async function startBareStreams(harness: BenchHarness, turns: number): Promise<StreamingServer> {
  const heapReporter = reportHeap(harness.folder, 'bare');
  const program = await startProgram({
    file: 'bench/bare-streams/main.ts',
    nodeOptions: [...harness.profiling('bare-streams'), ...heapReporter.nodeOptions],
    env: heapReporter.env,
    ready: /listen on (\S+)\n/,
    output: { file: join(harness.folder, 'bare-streams.log') },
  });
  const turnIds = Array.from({ length: turns }, () => newId('turn'));
  return {
    ...{ url: program.address, pid: program.pid, turnIds },
    sendDeltas: async (load) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ turnIds, ...load });
      const response = await fetch(`${program.address}/send`, { method: 'POST', headers, body });
      return ((await response.json()) as { sent: number }).sent;
    },
    readHeap: () => heapReporter.read(program.pid),
    close: program.stop,
  };
}
