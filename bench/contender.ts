import type { BenchHarness } from './open-harness.ts';
import type { Work } from './work.ts';

/** The store of the jobs. Contenders are compared on each store. */
export type Mode = 'redis' | 'postgres';

/** The database and the turn of a contender. The database is migrated, and empty unless the scenario fills it. */
export type Setup = { harness: BenchHarness; databaseUrl: string; work: Work; mode: Mode };

/** A system under load: plays the work's turn on each call, also concurrently, until it is closed. */
export type Contender = {
  playTurn(): Promise<void>;
  /** Its own processes, by name, in addition to the processes of the harness. */
  pids: Record<string, number>;
  close(): Promise<void>;
};

/** A system that can be opened, with the name of its row. */
export type System = { name: string; mode: Mode; open(setup: Setup): Promise<Contender> };
