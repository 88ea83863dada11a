import { sql } from 'kysely';

/**
 * The time when a conversation expires, counted from the end of its last turn, or from its creation. Null if it never
 * expires, and while one of its turns is active (R32).
 */
export const expiresAt = sql<Date | null>`case when conversations.config ->> 'expires_in_seconds' is not null and not exists (
    select from work where work.conversation_id = conversations.id
  ) then greatest(conversations.created_at, (
    select max(turns.completed_at) from turns where turns.conversation_id = conversations.id
  )) + make_interval(secs => (conversations.config ->> 'expires_in_seconds')::int) end`;
