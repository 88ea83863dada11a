import type { Db } from '#core/checkpoint/tables.ts';
import type { ToolRules } from '#core/tools/define/check.ts';
import type { BackgroundTimes } from '#core/turn/background/decide-poll.ts';
import type { Log } from '../process/log.ts';
import type { Parts } from '../process/parts.ts';
import type { Settings } from '../process/settings.ts';
import { makeTokensPerDay, type TokensPerDay } from '../start/tokens-per-day.ts';
import { type HeldWrites, makeHeldWrites } from './held-writes.ts';
import { type Heartbeat, makeHeartbeat } from './lease/heartbeat.ts';
import { type MeanOutput, makeMeanOutput } from './mean-output.ts';
import { type Memory, makeMemory } from './memory/memory.ts';
import { makeRateLimits, type RateLimits } from './rate-limits.ts';
import { type BlobCache, makeBlobCache } from './round/blob-cache.ts';
import { makeTurnCache, type TurnCache } from './turn-cache.ts';
import { makeWatchers, type Watchers } from './watchers.ts';

/** The parts of a process that a worker does not use. */
type Unused = 'connection' | 'jobQueue' | 'connectionRefusals' | 'accessKeys' | 'reloadProjects' | 'close';

/** The resources of a job. */
export type WorkerContext = Omit<Parts, Unused> & {
  db: Db;
  log: Log;
  memory: Memory;
  turnCache: TurnCache;
  blobCache: BlobCache;
  heartbeat: Heartbeat;
  heldWrites: HeldWrites;
  rateLimits: RateLimits;
  meanOutput: MeanOutput;
  watchers: Watchers;
  toolOutputLimit: number;
  toolRules: ToolRules;
  tokensPerDay: TokensPerDay;
  modelTimeoutMs: number;
  /** The longest wait for a model, in milliseconds. If a wait is longer, the turn changes to its next model. */
  fallbackAfterMs: number;
  /** The maximum wait of a round for capacity on the tier `flex`, in milliseconds, if its turn has no deadline. */
  flexWaitMs: number;
  /** The longest times of a response in the background. */
  backgroundTimes: BackgroundTimes;
  /** The longest wait of a round for its batch, in milliseconds, and the most rounds of a batch. */
  batchTimes: { waitMs: number; size: number };
  /** The longest silence of a request on `flex`, in milliseconds. */
  flexIdleTimeoutMs: number;
  /**
   * `days`: how long a project without its own setting keeps turns after their end, null for no limit. `sweepMs`: the
   * interval of the sweeps.
   */
  retention: { days: number | null; sweepMs: number };
};

/** Makes the context of a worker from the open parts of its process. */
export function workerContext(parts: Parts, settings: Settings, log: Log): WorkerContext {
  const { connection, pubsub, availability, projects, ...shared } = parts;
  const memory = makeMemory(settings.PAWL_HISTORY_LIMIT);
  return {
    ...shared,
    ...{ db: connection.db, log, pubsub, availability, projects, memory },
    heartbeat: makeHeartbeat(connection.db, log),
    heldWrites: makeHeldWrites(log, availability),
    turnCache: makeTurnCache(connection.db, memory),
    blobCache: makeBlobCache(connection.db, memory),
    rateLimits: makeRateLimits(pubsub),
    meanOutput: makeMeanOutput(),
    watchers: makeWatchers(pubsub),
    toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT,
    toolRules: settings.PAWL_TOOL_RULES,
    tokensPerDay: makeTokensPerDay(connection.db, projects),
    modelTimeoutMs: settings.PAWL_MODEL_TIMEOUT_MS,
    fallbackAfterMs: settings.PAWL_FALLBACK_AFTER_MS,
    flexWaitMs: settings.PAWL_FLEX_WAIT_MS,
    backgroundTimes: { queuedMs: settings.PAWL_BACKGROUND_QUEUED_MS, timeoutMs: settings.PAWL_BACKGROUND_TIMEOUT_MS },
    batchTimes: { waitMs: settings.PAWL_BATCH_WAIT_MS, size: settings.PAWL_BATCH_SIZE },
    flexIdleTimeoutMs: settings.PAWL_FLEX_IDLE_TIMEOUT_MS,
    retention: { days: settings.PAWL_RETENTION_DAYS ?? null, sweepMs: settings.PAWL_RETENTION_SWEEP_MS },
  };
}
