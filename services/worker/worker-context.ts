import type { Log } from '../log.ts';
import type { Parts } from '../open-parts.ts';
import type { Settings } from '../settings.ts';
import type { WorkerContext } from './context.ts';
import { makeHeartbeat } from './heartbeat.ts';
import { makeParking } from './parking.ts';
import { makeRoundsOnAir } from './rounds-on-air.ts';

/** A worker's context on the parts its process has opened. */
export function workerContext(parts: Parts, settings: Settings, log: Log): WorkerContext {
  const { connection, live, providers, tools, gate, secretsOf, ring } = parts;
  return {
    ...{ db: connection.db, live, log, providers, tools, gate, secretsOf, ring },
    heartbeat: makeHeartbeat(connection.db, log),
    parking: makeParking(),
    onAir: makeRoundsOnAir(),
    toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT,
    modelTimeoutMs: settings.PAWL_MODEL_TIMEOUT_MS,
  };
}
