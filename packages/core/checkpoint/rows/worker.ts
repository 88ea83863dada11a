import type { Generated } from 'kysely';

/** A step that a worker is on, since a moment by the worker's clock. */
export type WorkerStep = { turnId: string; step: string; since: string };

export type WorkerRow = {
  id: string;
  started_at: Generated<Date>;
  last_seen_at: Generated<Date>;
  concurrency: number;
  steps: Generated<WorkerStep[]>;
  tools: string[];
};
