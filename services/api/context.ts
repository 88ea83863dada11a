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

/** Everything a route may touch. */
export type ApiContext = PartsOfRoutes & {
  /** The primary: for all that is decided. */
  db: Db;
  readAnywhere: ReadAnywhere;
  log: Log;
  streamHub: StreamHub;
  toolRules: ToolRules;
  /** Bytes of a tool's output that the model gets. */
  toolOutputLimit: number;
  /** Bytes of a body at most, with the images, files and audio in it. */
  bodyLimit: number;
  /** The URL of the API as clients have it (PAWL_PUBLIC_URL), or empty. */
  publicUrl: string;
  responses: ResponseSettings;
  stateSeals: StateSeals;
  /** Whether what a request says of itself opens the metrics. */
  mayReadMetrics(authorization: string | undefined): MetricsAccess;
  keys: ApiKeys;
  streamLimiter: StreamLimiter;
  requestQuota: RequestQuota;
  startQueue: StartQueue;
  tokensPerDay: TokensPerDay;
  /** Whether this process stops: what it closes then, no caller has closed. */
  isClosing(): boolean;
  /** Jobs in all queues, or in the one that is named, by state. */
  countJobs(queue?: string): Promise<Record<string, number>>;
};
