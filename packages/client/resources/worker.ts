/** A worker that is alive, and the steps that it was on when it was last seen. */
export type WorkerResource = {
  id: string;
  object: 'worker';
  started_at: string;
  last_seen_at: string;
  concurrency: number;
  steps: { turn_id: string; step: string; since: string }[];
};
