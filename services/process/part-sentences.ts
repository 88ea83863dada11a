import { NO_CONNECTION_LEFT } from '#core/connection-limit.ts';

/** The parts that a process depends on. `disk` is that of the database, `worker` any worker at all. */
export const PARTS = ['database', 'disk', 'queue', 'worker'] as const;

export type Part = (typeof PARTS)[number];

/** Where the stores are: an embedded PostgreSQL or one at DATABASE_URL; with Redis or without. */
export type Deployment = { embedded: boolean; redis: boolean };

type About = { code: string | null; deployment: Deployment };

const TOO_MANY_CONNECTIONS = '53300';

/** The errors of a Redis that answers and takes no writes: no memory, no disk, a replica, no permission. */
export const REDIS_REFUSALS: ReadonlySet<string> = new Set(['OOM', 'MISCONF', 'READONLY', 'NOPERM']);

/** What an operator reads of a part that is away: its variable, what follows from it, and what to do. */
export function outageSentence(part: Part, { code, deployment }: About): string {
  const why = code === null ? '' : ` (${code})`;
  const postgres = deployment.embedded ? 'The embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  switch (part) {
    case 'database':
      if (code === TOO_MANY_CONNECTIONS) return NO_CONNECTION_LEFT.postgres;
      if (deployment.embedded)
        return `${postgres} does not answer${why}. It is started again; turns go on by themselves.`;
      return `${postgres} cannot be reached${why}. Check that it runs; turns go on by themselves once it is back.`;
    case 'disk':
      return `The disk of ${lowerFirst(postgres)} is full${why}. Free space there; turns go on by themselves.`;
    case 'queue':
      if (deployment.redis && code !== null && REDIS_REFUSALS.has(code))
        return `Redis at REDIS_URL takes no jobs${why}. Look into its log; turns are accepted and start once it does.`;
      if (deployment.redis)
        return `Redis at REDIS_URL cannot be reached${why}. Check that it runs; turns are accepted and start once it is back.`;
      return `The queue on ${lowerFirst(postgres)} does not answer${why}. Turns are accepted and start once it does.`;
    case 'worker':
      return 'No worker is running. Start one with npm run worker.';
  }
}

/** What an operator reads when a part is back. */
export const RECOVERY_SENTENCES: Record<Part, string> = {
  database: 'PostgreSQL is back.',
  disk: 'The disk of PostgreSQL has space again.',
  queue: 'The queue is back.',
  worker: 'A worker is running.',
};

function lowerFirst(text: string): string {
  return text.replace(/^The /, 'the ');
}
