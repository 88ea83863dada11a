import type { Db } from '#core/checkpoint/database.ts';
import type { Live } from '#core/live/live.ts';
import type { Providers } from '#core/llm/providers.ts';
import type { Gate } from '#core/outbound/open-gate.ts';
import type { Redact } from '#core/redact.ts';
import type { McpServers } from '#core/tools/mcp/open-mcp-servers.ts';
import type { ToolRegistry } from '#core/tools/tool-registry.ts';
import type { ToolSecrets } from '#core/tools/tool-secrets.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Availability } from '../availability.ts';
import type { Log } from '../log.ts';
import type { Audience } from './audience.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { RateLimits } from './rate-limits.ts';
import type { ReceiverPlaces } from './receiver-places.ts';
import type { TurnMemory } from './turn-memory.ts';

/** Everything a job may touch. */
export type WorkerContext = {
  db: Db;
  live: Live;
  log: Log;
  providers: Providers;
  tools: ToolRegistry;
  mcp: McpServers;
  toolSecrets: ToolSecrets;
  redact: Redact;
  gate: Gate;
  availability: Availability;
  turns: TurnMemory;
  heartbeat: Heartbeat;
  limits: RateLimits;
  audience: Audience;
  receivers: ReceiverPlaces;
  toolOutputLimit: number;
  modelTimeoutMs: number;
  /** The secrets that sign for a project: webhooks and HTTP tools. */
  secretsOf(project: string): Promise<string[]>;
  /** Rings the bell; a queue that is away is logged, and the rescuer rings later. */
  ring(rings: Ring[]): Promise<boolean>;
  /** The same from inside a job, whose acknowledgement it goes ahead of. */
  ringAhead(rings: Ring[]): Promise<void>;
};
