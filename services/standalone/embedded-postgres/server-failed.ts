import { Misconfigured } from '#core/failure.ts';
import type { ServerLog } from './server-log.ts';

/** The failure of a program of PostgreSQL that ended too soon; shows the end of what it wrote. */
export function serverFailed(what: string, log: ServerLog): Misconfigured {
  const words = log.tail();
  return new Misconfigured(
    `The embedded PostgreSQL could not ${what}: ${cureFor(words)}, or set DATABASE_URL.\n${words}\n(${log.path})`,
  );
}

function cureFor(words: string): string {
  if (words.includes('No space left on device')) return 'its disk is full, free space there';
  return words.includes('shared librar') ? 'run npm rebuild' : 'mend what its log says';
}
