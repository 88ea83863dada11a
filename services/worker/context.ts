import type { Db } from '#core/checkpoint/tables.ts';
import type { Log } from '../process/log.ts';
import type { Parts } from '../process/parts.ts';
import type { Settings } from '../process/settings.ts';
import { type HostLimiter, makeHostLimiter } from './host-limiter.ts';
import { type Heartbeat, makeHeartbeat } from './lease/heartbeat.ts';
import { makeRateLimits, type RateLimits } from './rate-limits.ts';
import { makeTurnCache, type TurnCache } from './turn-cache.ts';
import { makeWatchers, type Watchers } from './watchers.ts';

/** What a worker takes from its process as it is. */
type Shared =
  | (
      | 'pubsub'
      | 'providers'
      | 'prices'
      | 'tools'
      | 'mcp'
      | 'toolSecrets'
      | 'redact'
      | 'egress'
      | 'availability'
      | 'tracer'
    )
  | ('secretsOf' | 'enqueue' | 'enqueueBeforeAck');

/** Everything a job may touch. */
export type WorkerContext = Pick<Parts, Shared> & {
  db: Db;
  log: Log;
  turnCache: TurnCache;
  heartbeat: Heartbeat;
  rateLimits: RateLimits;
  watchers: Watchers;
  hostLimiter: HostLimiter;
  toolOutputLimit: number;
  modelTimeoutMs: number;
  /** A model that has to be waited for longer than this is left for the next one of its turn. */
  fallbackAfterMs: number;
};

/** A worker's context on the parts its process has opened. */
export function workerContext(parts: Parts, settings: Settings, log: Log): WorkerContext {
  const { connection, pubsub, providers, prices, tools, mcp, toolSecrets, redact, egress, availability, tracer } =
    parts;
  const { secretsOf, enqueue, enqueueBeforeAck } = parts;
  return {
    ...{
      db: connection.db,
      pubsub,
      log,
      providers,
      prices,
      tools,
      mcp,
      toolSecrets,
      redact,
      egress,
      availability,
      tracer,
    },
    ...{ secretsOf, enqueue, enqueueBeforeAck },
    heartbeat: makeHeartbeat(connection.db, log),
    turnCache: makeTurnCache(connection.db),
    rateLimits: makeRateLimits(pubsub),
    watchers: makeWatchers(pubsub),
    hostLimiter: makeHostLimiter(settings.PAWL_WORKER_CONCURRENCY),
    toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT,
    modelTimeoutMs: settings.PAWL_MODEL_TIMEOUT_MS,
    fallbackAfterMs: settings.PAWL_FALLBACK_AFTER_MS,
  };
}
