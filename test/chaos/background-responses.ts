import type postgres from 'postgres';
import type { CommittedResponse } from './history.ts';

/**
 * Lets the database note each background response, since its row is deleted with the response: when a round began to
 * wait for it, and when the round was to be asked again.
 */
export async function auditResponses(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create table seen_responses (
      id text primary key, turn_id text not null, round int not null, committed_at timestamptz, dropped_at timestamptz);
    create function see_response() returns trigger language plpgsql as $$
    begin
      insert into seen_responses (id, turn_id, round)
      values (new.id, new.turn_id, substr(new.step, 2)::int) on conflict do nothing;
      return null;
    end $$;
    create trigger see_response after insert on background_responses for each row execute function see_response();
    create function see_wait() returns trigger language plpgsql as $$
    begin
      insert into seen_responses (id, turn_id, round, committed_at)
      select value, new.id, substr(new.background ->> 'step', 2)::int, clock_timestamp()
      from jsonb_array_elements_text(new.background -> 'responses')
      on conflict (id) do update set committed_at = coalesce(seen_responses.committed_at, excluded.committed_at);
      update seen_responses set dropped_at = clock_timestamp()
      where id in (select jsonb_array_elements_text(old.background -> 'responses')) and dropped_at is null
        and (new.background is null or new.model <> old.model or not new.background -> 'responses' ? id);
      return null;
    end $$;
    create trigger see_wait after update on work for each row
    when (new.background is distinct from old.background or new.model <> old.model) execute function see_wait()`);
}

/** Reads all background responses whose ids were committed. */
export function readResponses(sql: postgres.Sql): Promise<CommittedResponse[]> {
  return sql<CommittedResponse[]>`select id, turn_id as "turnId", round,
    (extract(epoch from committed_at) * 1000)::double precision as "committedAt",
    (extract(epoch from dropped_at) * 1000)::double precision as "droppedAt" from seen_responses order by id`;
}

/** Hurries the next look at responses that no round waits for. */
export async function hurryResponses(sql: postgres.Sql): Promise<void> {
  await sql`update background_responses set due_at = now() where closed_at < now() - interval '2 seconds'
    and due_at > now() + interval '2 seconds'`;
}
