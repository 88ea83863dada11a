import type { Db } from '#core/checkpoint/database.ts';
import type { Live } from '#core/live/live.ts';
import type { Providers } from '#core/llm/providers.ts';
import type { Gate } from '#core/outbound/open-gate.ts';
import type { ToolRegistry } from '#core/tools/tool-registry.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Log } from '../log.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Parking } from './parking.ts';
import type { RoundsOnAir } from './rounds-on-air.ts';

/** Everything a job may touch. */
export type WorkerContext = {
  db: Db;
  live: Live;
  log: Log;
  providers: Providers;
  tools: ToolRegistry;
  gate: Gate;
  heartbeat: Heartbeat;
  parking: Parking;
  onAir: RoundsOnAir;
  toolOutputLimit: number;
  modelTimeoutMs: number;
  /** The secrets that sign for a project: webhooks and HTTP tools. */
  secretsOf(project: string): Promise<string[]>;
  /** Rings the bell; a queue that is away is logged, and the rescuer rings later. */
  ring(rings: Ring[]): Promise<void>;
};
