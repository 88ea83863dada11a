import type { Db } from '#core/checkpoint/tables.ts';
import type { Egress } from '#core/egress/open.ts';
import type { EgressPolicy } from '#core/egress/policy.ts';
import type { Prices } from '#core/llm/by-model/prices.ts';
import type { Providers } from '#core/llm/providers.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { Redact } from '#core/redact.ts';
import type { ToolRules } from '#core/tools/define/check.ts';
import type { ToolSecrets } from '#core/tools/http/secrets.ts';
import type { McpServers } from '#core/tools/mcp/servers.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { Admission } from '../process/admission.ts';
import type { Availability } from '../process/availability.ts';
import type { ConnectionRefusals } from '../process/connection-refusals.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics/metrics.ts';
import type { MetricsAccess } from '../process/metrics/metrics-access.ts';
import type { Projects } from '../process/projects.ts';
import type { Tracer } from '../process/trace/tracer.ts';
import type { TokensPerDay } from '../start/tokens-per-day.ts';
import type { ApiKeys } from './http/api-keys.ts';
import type { ResponseSettings } from './openai/responses/request/response-settings.ts';
import type { StateSeals } from './openai/responses/sealing/state-seals.ts';
import type { RequestQuota } from './quotas/request-quota.ts';
import type { StartQueue } from './quotas/start-queue.ts';
import type { ReadAnywhere } from './read-anywhere.ts';
import type { StreamHub } from './stream/hub.ts';
import type { StreamLimiter } from './stream/limiter.ts';

/** Everything a route may touch. */
export type ApiContext = {
  /** The primary: for all that is decided. */
  db: Db;
  readAnywhere: ReadAnywhere;
  pubsub: Pubsub;
  log: Log;
  connectionRefusals: ConnectionRefusals;
  streamHub: StreamHub;
  providers: Providers;
  prices: Prices;
  projects: Projects;
  admission: Admission;
  tools: ToolRegistry;
  mcp: McpServers;
  toolSecrets: ToolSecrets;
  redact: Redact;
  toolRules: ToolRules;
  /** Bytes of a tool's output that the model gets. */
  toolOutputLimit: number;
  /** Bytes of a body at most, with the images, files and audio in it. */
  bodyLimit: number;
  /** The URL of the API as clients have it (PAWL_PUBLIC_URL), or empty. */
  publicUrl: string;
  responses: ResponseSettings;
  stateSeals: StateSeals;
  egressPolicy: EgressPolicy;
  egress: Egress;
  availability: Availability;
  metrics: Metrics;
  tracer: Tracer;
  /** Whether what a request says of itself opens the metrics. */
  mayReadMetrics(authorization: string | undefined): MetricsAccess;
  keys: ApiKeys;
  streamLimiter: StreamLimiter;
  requestQuota: RequestQuota;
  startQueue: StartQueue;
  tokensPerDay: TokensPerDay;
  /** Whether this process stops: what it closes then, no caller has closed. */
  isClosing(): boolean;
  secretsOf(project: string): Promise<string[]>;
  enqueue(wakeups: Wakeup[]): Promise<boolean>;
  /** Jobs in all queues, or in the one that is named, by state. */
  countJobs(queue?: string): Promise<Record<string, number>>;
};
