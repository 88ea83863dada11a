import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { Misconfigured } from '#core/failure.ts';

/** The user that a program is started as, for `spawn`. */
export type RunAs = { uid: number; gid: number };

/**
 * Chooses who PostgreSQL runs as when we are root, whom it refuses: the owner of the data where there is some,
 * else the user `postgres`, else `nobody`. Undefined when we are not root: as ourselves.
 */
export function chooseRunAs(dataFolder: string): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;

  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const user = findUser('postgres') ?? findUser('nobody');
  if (user) return user;
  throw new Misconfigured(
    'PostgreSQL refuses to run as root, and this machine has neither a user postgres nor nobody: ' +
      'start Pawl as another user, or set DATABASE_URL.',
  );
}

function findUser(name: string): RunAs | undefined {
  try {
    return { uid: askId('-u', name), gid: askId('-g', name) };
  } catch {
    return undefined;
  }
}

function askId(flag: '-u' | '-g', name: string): number {
  return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
