import { Misconfigured } from '#core/failure.ts';
import type { Settings } from './settings.ts';

/** The settings of a part that shares its database with others, and therefore has to be told where it is. */
export function requireDatabase(settings: Settings): Settings & { DATABASE_URL: string } {
  const { DATABASE_URL } = settings;
  if (DATABASE_URL) return { ...settings, DATABASE_URL };
  throw new Misconfigured(
    'DATABASE_URL is not set. Point it at a PostgreSQL, or run `npm start`, which brings its own.',
  );
}
