import type { Ground } from './ground/open-ground.ts';
import type { Work } from './work.ts';

/** Where the jobs lie: what the contenders are compared on. */
export type Mode = 'redis' | 'postgres';

/** What a contender is put on: an empty, migrated database (unless the scenario fills it) and the turn it has to play. */
export type Site = { ground: Ground; databaseUrl: string; work: Work };

/** A system under load: plays the work's turn as often as it is asked, also side by side, until it is closed. */
export type Contender = {
  playTurn(): Promise<void>;
  /** Processes of its own, by name; those of the ground are known. */
  pids: Record<string, number>;
  close(): Promise<void>;
};

/** One line of the report. A system is asked for turns one at a time, too; a limit is not. */
export type Entry = {
  name: string;
  kind: 'system' | 'limit';
  /** Null for what is the same whatever the jobs lie on. */
  mode: Mode | null;
  open(site: Site): Promise<Contender>;
};
