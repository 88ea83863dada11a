import { Misconfigured } from '#core/failure.ts';
import type { ServerLog } from './server-log.ts';

/** The failure of a program of PostgreSQL that ended too soon; shows the end of what it wrote. */
export function serverFailed(what: string, log: ServerLog): Misconfigured {
  const words = log.tail();
  const cure = words.includes('shared librar') ? 'run npm rebuild' : 'mend what its log says';
  return new Misconfigured(
    `The embedded PostgreSQL could not ${what}: ${cure}, or set DATABASE_URL.\n${words}\n(${log.path})`,
  );
}
