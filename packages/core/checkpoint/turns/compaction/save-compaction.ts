import { sql } from 'kysely';
import { newId } from '../../../id.ts';
import type { Compaction } from '../../../turn/compaction/compaction.ts';
import { recordSummaries, usedBy, usedColumn } from '../../sql/rounds/record-rounds.ts';
import { rawJson, writeFor } from '../../sql/statement.ts';
import type { Db } from '../../tables.ts';

/**
 * A compaction before a round of a turn, before its commit. `failedRequests` counts the run's requests without a
 * result. `isUsed` means that it makes the history shorter, which an event reports. `covered` are the turns that the
 * summary may mention. `ownModel` is the model that the run would ask.
 */
export type NewCompaction = {
  turnId: string;
  compaction: Omit<Compaction, 'createdAt'>;
  failedRequests: number;
  isUsed: boolean;
  covered: string[];
  ownModel: string;
  /** The responses that refused the history as too long. The round no longer waits for them (R40). */
  dropped?: readonly string[] | undefined;
};

/**
 * Saves the replacement of a turn's history before a round is asked, in one statement with its event. The round stays
 * the due step, and its attempts are counted again. The first write wins: no other run may compact the same round
 * after it was asked or has its reply (R23), or was handed to another model (R24). A summary is left out if content
 * that it covers was deleted since it was asked for. Returns the compaction, or null if no row was written.
 */
export async function saveCompaction(
  db: Db,
  { compaction, dropped, ...about }: NewCompaction,
): Promise<Compaction | null> {
  const [saved] = await write(db, {
    ...compaction,
    ...about,
    dropped: rawJson(dropped),
    used: usedBy(compaction.usage, 0),
    eventId: newId('evt'),
  });
  return saved ? { ...compaction, summary: saved.summary, createdAt: saved.createdAt } : null;
}

/** Locks the row of `work` before any turn, like the end of a turn, since the summary may mention its own turn too. */
const lockWork = sql`
  select work.id, covered from input join work on work.id = "turnId" for no key update of work`;

/**
 * Locks the turns that the summary may mention. The statement sees a delete that was first, and a delete that waits
 * finds the summary and empties it (R31).
 */
const lockCovered = sql`
  select id, hidden_at, deleted_items from turns
  where id in (select one.id from held, json_array_elements_text(held.covered) as one (id)) order by id for share`;

/** The amount of deleted content of a turn. An erased turn counts more than all earlier deletes. */
const deletedOf = sql`case when locked.id is null then 1000000
  else (locked.hidden_at is not null)::int + coalesce(json_array_length(locked.deleted_items), 0) end`;

const isStale = sql`(summary is not null and "leftOut" < (
    select coalesce(sum(${deletedOf}), 0)
    from json_array_elements_text(covered) as one (id) left join locked using (id)))`;

const write = writeFor<Pick<Compaction, 'createdAt' | 'summary'>>(
  sql`round int, strategy text, "upToTurn" text, "upToRound" int, summary text, "beforeTokens" int, "afterTokens" int, "leftOut" int,
  model text, usage json, ${usedColumn}, requests int, "failedRequests" int, "isUsed" boolean, covered json, "ownModel" text,
  dropped text, "eventId" text`,
  (input) => sql`
    with ${input},
    held as materialized (${lockWork}),
    locked as materialized (${lockCovered}),
    known as materialized (select "turnId", ${isStale} as stale from input),
    work as (
      update work set compacted_before = round, attempts = 0, failed_requests = failed_requests + "failedRequests",
        background = case when work.background -> 'responses' = dropped::jsonb then null else work.background end,
        last_event = last_event + ("isUsed" and not stale)::int
      from input join known using ("turnId")
      where work.id = "turnId" and status = 'in_progress' and step = 'r' || round and coalesce(compacted_before, 0) < round
        and work.model = "ownModel"
      returning work.id, project, key_id, agent, last_event, stale, case when not stale then summary end as published, input.*
    ),
    saved as (
      insert into compactions (turn_id, round, strategy, up_to_turn, up_to_round, summary, before_tokens, after_tokens, left_out,
        model, usage, requests)
      select id, round, strategy, "upToTurn", "upToRound", published, "beforeTokens", "afterTokens", "leftOut", model, usage, requests
      from work
    ),
    recorded as (${recordSummaries(sql`work`)}
    ),
    event as (
      insert into events (turn_id, number, id, type, round, data)
      select id, last_event, "eventId", 'context.compacted', round, json_build_object('round', round, 'up_to_turn', "upToTurn",
        'up_to_round', "upToRound", 'before_tokens', "beforeTokens", 'after_tokens', "afterTokens")
      from work where "isUsed" and not stale
    )
    select id as "turnId", published as summary, now()::text as "createdAt" from work`,
);
