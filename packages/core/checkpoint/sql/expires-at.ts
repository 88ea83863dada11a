import { sql } from 'kysely';

/**
 * When a conversation expires: so long after the end of its last turn, or its creation. Null where it never does, and while one of
 * its turns is active (R32).
 */
export const expiresAt = sql<Date | null>`case when conversations.config ->> 'expires_in_seconds' is not null and not exists (
    select from work where work.conversation_id = conversations.id
  ) then greatest(conversations.created_at, (
    select max(turns.completed_at) from turns where turns.conversation_id = conversations.id
  )) + make_interval(secs => (conversations.config ->> 'expires_in_seconds')::int) end`;
