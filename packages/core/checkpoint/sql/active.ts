import { sql } from 'kysely';

/** The guard of every write to a turn: a turn that has ended is history. */
export const isActive = sql<boolean>`status in ('queued', 'in_progress', 'requires_action')`;
