import type { Ground } from './ground/open-ground.ts';

/** A system under load: plays the work's turn as often as it is asked, also side by side, until it is closed. */
export type Contender = {
  playTurn(): Promise<void>;
  /** Processes of its own, by name; those of the ground are known. */
  pids: Record<string, number>;
  close(): Promise<void>;
};

/** One line of the report. */
export type Entry = {
  name: string;
  needsRedis: boolean;
  open(ground: Ground): Promise<Contender>;
};
