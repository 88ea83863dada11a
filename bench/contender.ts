import type { Mode } from './mode.ts';
import type { BenchHarness } from './open-harness.ts';
import type { Work } from './work.ts';

/** What a contender runs on: an empty, migrated database (unless the scenario fills it) and the turn it has to play. */
export type ContenderSetup = { harness: BenchHarness; databaseUrl: string; work: Work };

/** A system under load: plays the work's turn on each call, also side by side, until it is closed. */
export type Contender = {
  playTurn(): Promise<void>;
  /** Its own processes, by name, beside those of the harness. */
  pids: Record<string, number>;
  close(): Promise<void>;
};

/** One line of the report. A system also plays turns one at a time; a limit does not. */
export type Entry = {
  name: string;
  kind: 'system' | 'limit';
  /** Null where the queue makes no difference. */
  mode: Mode | null;
  open(setup: ContenderSetup): Promise<Contender>;
};
