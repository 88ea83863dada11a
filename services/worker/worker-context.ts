import type { Log } from '../log.ts';
import type { Parts } from '../open-parts.ts';
import type { Settings } from '../settings.ts';
import { makeAudience } from './audience.ts';
import type { WorkerContext } from './context.ts';
import { makeHeartbeat } from './heartbeat.ts';
import { makeRateLimits } from './rate-limits.ts';
import { makeReceiverPlaces } from './receiver-places.ts';
import { makeTurnMemory } from './turn-memory.ts';

/** A worker's context on the parts its process has opened. */
export function workerContext(parts: Parts, settings: Settings, log: Log): WorkerContext {
  const { connection, live, providers, tools, mcp, toolSecrets, redact, gate, availability } = parts;
  const { secretsOf, ring, ringAhead } = parts;
  return {
    ...{ db: connection.db, live, log, providers, tools, mcp, toolSecrets, redact, gate, availability },
    ...{ secretsOf, ring, ringAhead },
    heartbeat: makeHeartbeat(connection.db, log),
    turns: makeTurnMemory(connection.db),
    limits: makeRateLimits(live),
    audience: makeAudience(live),
    receivers: makeReceiverPlaces(settings.PAWL_WORKER_CONCURRENCY),
    toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT,
    modelTimeoutMs: settings.PAWL_MODEL_TIMEOUT_MS,
  };
}
