import type postgres from 'postgres';
import type { EnteredRequest, History } from './history.ts';

/** The models of turns by batch. No other turn has such a model. */
const OF_BATCHES = "'%/batched'";

/**
 * Lets the database note each request that enters a batch, the commit that removes it, and the usage that a commit
 * records. The row of a request is deleted when a round uses or drops its answer. A worker may commit a direct reply
 * together with the removal of a failed result, which has no usage.
 */
export async function auditBatches(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create table seen_requests (
      id text primary key, turn_id text not null, round int not null, gone_state text, gone_in xid8,
      has_usage boolean);
    create function see_request() returns trigger language plpgsql as $$
    begin
      insert into seen_requests (id, turn_id, round) values (new.id, new.turn_id, substr(new.step, 2)::int);
      return null;
    end $$;
    create trigger see_request after insert on batch_requests for each row execute function see_request();
    create function see_gone() returns trigger language plpgsql as $$
    begin
      update seen_requests set gone_state = old.state, gone_in = pg_current_xact_id(), has_usage = old.used is not null
      where id = old.id;
      return null;
    end $$;
    create trigger see_gone after delete on batch_requests for each row execute function see_gone();
    create table seen_rounds (turn_id text, number int, saved_in xid8, primary key (turn_id, number));
    create function see_round() returns trigger language plpgsql as $$
    begin
      insert into seen_rounds (turn_id, number, saved_in) values (new.turn_id, new.number, pg_current_xact_id());
      return null;
    end $$;
    create trigger see_round after insert on rounds for each row when (new.model like ${OF_BATCHES})
    execute function see_round();
    create table seen_usage (rounds int, tokens bigint, recorded_in xid8);
    create function see_usage() returns trigger language plpgsql as $$
    begin
      insert into seen_usage (rounds, tokens, recorded_in)
      values (new.rounds, new.total_tokens, pg_current_xact_id());
      return null;
    end $$;
    create trigger see_usage after insert on usage_records for each row
    when (new.model like ${OF_BATCHES} and new.turns = 0) execute function see_usage()`);
}

/** Reads all requests that entered a batch, with their ends, and the usage that was counted for their models. */
export async function readBatches(sql: postgres.Sql): Promise<Omit<History['batches'], 'sent'>> {
  const [requests, rounds, usage] = await Promise.all([
    sql<EnteredRequest[]>`select id, turn_id as "turnId", round, case
        when gone_in is null then 'left' when gone_state = 'waiting' then 'removed'
        when has_usage and exists (
          select from seen_rounds
          where seen_rounds.turn_id = seen_requests.turn_id and number = round and saved_in = gone_in) then 'used'
        else 'dropped' end as fate,
      gone_in::text as "goneIn" from seen_requests order by id`,
    sql<History['batches']['rounds']>`select turn_id as "turnId", number,
      coalesce((usage ->> 'total_tokens')::int, 0) as tokens
      from rounds where model like '%/batched' order by turn_id, number`,
    sql<History['batches']['usage']>`select rounds, tokens::int, recorded_in::text as "recordedIn" from seen_usage`,
  ]);
  return { requests, rounds, usage };
}

/**
 * Hurries the batches: their looks take seconds to minutes. A lease that was not renewed for 30 s ends, and a batch
 * that was not confirmed for 45 s is sent again unless the provider has it. No fault stops a worker for so long.
 */
export async function hurryBatches(sql: postgres.Sql): Promise<void> {
  await sql`update batches set due_at = now()
    where due_at > now() + interval '1 second' and (owner is null or due_at < now() + interval '30 seconds')`;
  await sql`update batches set asked_at = asked_at - interval '3 minutes'
    where state = 'asked' and asked_at between now() - interval '2 minutes' and now() - interval '45 seconds'`;
}
