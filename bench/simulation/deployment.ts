import type { Mode } from '../mode.ts';
import type { Cost } from './stations.ts';

/** The programs that a turn goes through, as the benchmark names their processes. */
export const programs = ['driver', 'api', 'worker', 'postgres', 'redis', 'simulator'] as const;
export type ProgramName = (typeof programs)[number];

/** What each program's work costs; on PostgreSQL alone `redis` is never asked. */
export type Costs = Record<ProgramName, Cost>;

/** What is simulated: how much of what there is, and how far apart it stands. */
export type Deployment = {
  mode: Mode;
  rounds: number;
  thinkMs: number;
  apis: number;
  workers: number;
  /** Of each worker. */
  places: number;
  redises: number;
  /** One way, between Pawl and its stores. */
  networkMs: number;
  /** Until a commit is on the disk. */
  fsyncMs: number;
  /** One machine that all share, or the cores of PostgreSQL with one more for each process. */
  machine: { kind: 'shared'; cores: number; speed: number } | { kind: 'separate'; postgresCores: number };
};

/** The turns: so many at a time, a new one when one has ended; or so many a second, whatever becomes of them. */
export type Arrivals =
  | { kind: 'closed'; turns: number; concurrency: number }
  | { kind: 'open'; turns: number; perSecond: number };
