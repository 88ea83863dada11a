import { sql } from 'kysely';

/** The secrets that sign for an endpoint now, as JSON: the newest first, and while it is rotated the one before. */
export const liveSecrets = sql<string[]>`case when old_secret_until > now() then json_build_array(secret, old_secret)
  else json_build_array(secret) end`;
