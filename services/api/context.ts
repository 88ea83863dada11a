import type { Db } from '#core/checkpoint/database.ts';
import type { Live } from '#core/live/live.ts';
import type { Providers } from '#core/llm/providers.ts';
import type { EgressPolicy } from '#core/outbound/egress-policy.ts';
import type { Gate } from '#core/outbound/open-gate.ts';
import type { Redact } from '#core/redact.ts';
import type { ToolRules } from '#core/tools/check-definition.ts';
import type { McpServers } from '#core/tools/mcp/open-mcp-servers.ts';
import type { ToolRegistry } from '#core/tools/tool-registry.ts';
import type { ToolSecrets } from '#core/tools/tool-secrets.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Availability } from '../availability.ts';
import type { Log } from '../log.ts';
import type { Refusals } from '../refusals.ts';
import type { ApiKeys } from './api-keys.ts';
import type { HeldRequests } from './held-requests.ts';
import type { TurnWatch } from './watch/watch-turns.ts';

/** Everything a route may touch. */
export type ApiContext = {
  db: Db;
  live: Live;
  log: Log;
  refusals: Refusals;
  watch: TurnWatch;
  providers: Providers;
  tools: ToolRegistry;
  mcp: McpServers;
  toolSecrets: ToolSecrets;
  redact: Redact;
  toolRules: ToolRules;
  /** Bytes of a tool's output that the model gets to see. */
  toolOutputLimit: number;
  egress: EgressPolicy;
  gate: Gate;
  availability: Availability;
  keys: ApiKeys;
  held: HeldRequests;
  secretsOf(project: string): Promise<string[]>;
  ring(rings: Ring[]): Promise<boolean>;
  /** Jobs in all queues, by state. */
  countJobs(): Promise<Record<string, number>>;
};
