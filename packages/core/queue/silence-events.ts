import type { ClientBase } from 'pg';

/**
 * BullMQ tells on Postgres what happens to a job in four rows and notifications, for listeners that Pawl does not have: a
 * third of what a job costs there. Where its function for that is known, it does nothing from then on (decision 14).
 */
export async function silenceEvents(client: ClientBase): Promise<void> {
  await client.query(SILENCE);
}

const FUNCTION = 'bullmq.publish_event(p_queue text, p_event text, p_data jsonb)';

/** One at a time, and only where there is something to change: sessions forget their plans when a function changes. */
const SILENCE = `
  do $do$
  begin
    perform pg_advisory_xact_lock(hashtext('pawl: silence events'));
    if (
      select prosrc <> 'select 0::bigint' and proargnames = '{p_queue,p_event,p_data}'
        and prorettype = 'bigint'::regtype and pronargdefaults = 0
      from pg_proc where oid = to_regprocedure('bullmq.publish_event(text, text, jsonb)')
    ) then
      create or replace function ${FUNCTION} returns bigint language sql immutable as 'select 0::bigint';
    end if;
  end
  $do$`;
