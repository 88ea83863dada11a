/**
 * Silences BullMQ's events on PostgreSQL, four rows and notifications for each job, if its function is the known
 * function (docs/decisions/0019-patches.md).
 */
export async function patchPublishEvent(client: { query(text: string): Promise<unknown> }): Promise<void> {
  await client.query(PATCH);
}

const PUBLISH_EVENT = 'bullmq.publish_event(p_queue text, p_event text, p_data jsonb)';

/**
 * The patch runs in one session at a time, and changes only an unpatched function: sessions drop their plans when a
 * function changes.
 */
const PATCH = `
  do $do$
  begin
    perform pg_advisory_xact_lock(hashtext('pawl: silence events'));
    if (
      select prosrc <> 'select 0::bigint' and proargnames = '{p_queue,p_event,p_data}'
        and prorettype = 'bigint'::regtype and pronargdefaults = 0
      from pg_proc where oid = to_regprocedure('bullmq.publish_event(text, text, jsonb)')
    ) then
      create or replace function ${PUBLISH_EVENT} returns bigint language sql immutable as 'select 0::bigint';
    end if;
  end
  $do$`;
