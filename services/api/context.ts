import type { Db } from '#core/checkpoint/tables.ts';
import type { ToolRules } from '#core/tools/define/check.ts';
import type { Log } from '../process/log.ts';
import type { MetricsAccess } from '../process/metrics/metrics-access.ts';
import type { Parts } from '../process/parts.ts';
import type { TokensPerDay } from '../start/tokens-per-day.ts';
import type { ApiKeys } from './http/api-keys.ts';
import type { ResponseSettings } from './openai/responses/request/response-settings.ts';
import type { StateSeals } from './openai/responses/sealing/state-seals.ts';
import type { RequestQuota } from './quotas/request-quota.ts';
import type { StartQueue } from './quotas/start-queue.ts';
import type { ReadAnywhere } from './read-anywhere.ts';
import type { StreamHub } from './stream/hub.ts';
import type { StreamLimiter } from './stream/limiter.ts';

type PartsOfRoutes = Pick<Parts, 'pubsub' | 'connectionRefusals' | 'availability' | 'metrics' | 'tracer' | 'redact'> &
  Pick<Parts, 'providers' | 'prices' | 'projects' | 'admission' | 'tools' | 'mcp' | 'toolSecrets'> &
  Pick<Parts, 'egressPolicy' | 'egress' | 'secretsOf' | 'enqueue'>;

/** The parts that routes use. */
export type ApiContext = PartsOfRoutes & {
  /** The primary database, for all decisions. */
  db: Db;
  readAnywhere: ReadAnywhere;
  log: Log;
  streamHub: StreamHub;
  toolRules: ToolRules;
  /** The maximum bytes of a tool's output that the model gets. */
  toolOutputLimit: number;
  /** The maximum bytes of a body, including its images, files and audio. */
  bodyLimit: number;
  /** The URL of the API for clients (PAWL_PUBLIC_URL), or empty. */
  publicUrl: string;
  responses: ResponseSettings;
  stateSeals: StateSeals;
  /** Returns whether the headers of a request give access to the metrics. */
  mayReadMetrics(authorization: string | undefined): MetricsAccess;
  keys: ApiKeys;
  streamLimiter: StreamLimiter;
  requestQuota: RequestQuota;
  startQueue: StartQueue;
  tokensPerDay: TokensPerDay;
  /** Returns whether this process is stopping. A connection that then closes was not closed by its caller. */
  isClosing(): boolean;
  /** Counts jobs by state, in all queues or in the named queue. */
  countJobs(queue?: string): Promise<Record<string, number>>;
};
