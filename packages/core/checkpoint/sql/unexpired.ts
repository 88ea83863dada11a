import { sql } from 'kysely';

/** The condition that a row of `files` has not expired, by the database's clock. No read shows an expired file. */
export const isUnexpired = sql<boolean>`(files.expires_at is null or files.expires_at > now())`;
