import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../id.ts';
import { nameVersion } from '../../turn/agents/agent-reference.ts';
import { type NewTurn, predictQueuedTurn, type QueuedTurn } from '../../turn/predict.ts';
import type { StandingConfig } from '../../turn/request/turn.ts';
import { timing } from '../../turn/timing.ts';
import type { Turn } from '../../turn/turn.ts';
import { hasEndpoints } from '../sql/deliveries.ts';
import { inMs } from '../sql/due.ts';
import { recordTurns } from '../sql/rounds/record-rounds.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import type { Db, Trx } from '../tables.ts';
import { BEHIND_ALL } from './reading/select.ts';

/**
 * A new conversation: the configuration that its turns inherit, and its metadata. A fork's history begins with the
 * history of another conversation, up to the turn `forkedFrom` or a round of that turn. With round -1, the fork
 * replaces that turn. Without `outlivesTurns`, the conversation is deleted with its last turn. The conversation of an
 * unstored turn is hidden, and examined until both are erased. With `begunByTurn`, the configuration is content of
 * that turn, and is erased with the last turn that is deleted.
 */
type Standing = {
  config: StandingConfig;
  metadata: Record<string, string>;
  forkedFrom?: { turnId: string; position: number; round?: number };
  outlivesTurns?: boolean;
  begunByTurn?: boolean;
};

/** Creates a turn after the others of its conversation, which the caller has locked. */
export async function createTurn(trx: Trx, turn: NewTurn): Promise<Turn> {
  const write = turn.completion ? writeNextCompletion : writeNext;
  return recorded(turn, await write(trx, rowOf(turn)));
}

/**
 * Creates a conversation with its first turn, in one statement. The positions of a fork continue after its origin.
 * The caller has locked the conversation of the origin.
 */
export async function createFirstTurn(db: Db, turn: NewTurn, standing: Standing): Promise<Turn> {
  const write = turn.completion ? writeFirstCompletion : writeFirst;
  return recorded(turn, await write(db, { ...rowOf(turn), ...rowOfStanding(standing) }));
}

function rowOfStanding({ config, metadata, forkedFrom, outlivesTurns = true, begunByTurn = false }: Standing) {
  return {
    ...{ standingConfig: rawJson(config), standingMetadata: rawJson(metadata), outlivesTurns, begunByTurn },
    ...{ forkedFrom: forkedFrom?.turnId ?? null, turnsBefore: forkedFrom?.position ?? 0 },
    forkedRound: forkedFrom?.round ?? null,
    expiresInSeconds: config.expires_in_seconds ?? null,
  };
}

function recorded(turn: NewTurn, [queued]: QueuedTurn[]): Turn {
  if (!queued) throw new Error(`${turn.id} was not recorded, for an unknown reason.`);
  return predictQueuedTurn(turn, queued);
}

function rowOf({ id: turnId, project, conversationId, config, input, metadata, ...turn }: NewTurn) {
  const { priority, stored = true, keyId = null, trace, needsSlot = false } = turn;
  const { startAt = null, delaySeconds = null, debounced = false, scheduleId = null } = turn;
  const { deadline_seconds: deadlineSeconds } = config.limits;
  const { completion } = turn;
  return {
    ...{ turnId, project, conversationId, priority, stored, keyId, needsSlot, deadlineSeconds, eventId: newId('evt') },
    ...{ startAt, delaySeconds, debounced, scheduleId },
    ...(completion && { isListed: completion.isListed, chainsBefore: completion.before }),
    ...(config.agent && { agent: nameVersion(config.agent) }),
    provider: config.model.slice(0, config.model.indexOf('/')),
    model: config.model,
    warnings: rawJson(config.warnings ?? []),
    ...{ config: rawJson(config), input: rawJson(input), metadata: rawJson(metadata), trace: rawJson(trace) },
  };
}

const columns = sql`project text, "conversationId" text, priority int, "deadlineSeconds" double precision,
  "eventId" text, agent text, provider text, model text, warnings text, config text, input text, metadata text, stored boolean, "needsSlot" boolean, "keyId" text,
  trace text, "startAt" timestamptz, "delaySeconds" double precision, debounced boolean, "scheduleId" text,
  "standingConfig" text, "standingMetadata" text, "forkedFrom" text, "forkedRound" int, "turnsBefore" int, "outlivesTurns" boolean,
  "begunByTurn" boolean, "expiresInSeconds" int`;

/** The start of a turn, or now if that has passed. A turn before its start has no position and no slot (R35). */
const startsAt = sql`coalesce("startAt", now() + make_interval(secs => "delaySeconds"))`;
const isDelayed = sql`coalesce(${startsAt} > now(), false)`;
const deadlineAt = sql`greatest(${startsAt}, now()) + make_interval(secs => "deadlineSeconds")`;
const deadlineInMs = sql`extract(epoch from deadline_at - now())::double precision * 1000`;

const completionColumns = sql`, "isListed" boolean, "chainsBefore" json`;

/**
 * The newest completion with the longest beginning of the messages. The hash also depends on the key and the subject.
 */
const continued = sql`(
        select newest.turn_id from json_array_elements_text("chainsBefore") with ordinality as chain (hash, nth)
        cross join lateral (
          select turn_id from completions join turns as answered on answered.id = turn_id
          where completions.hash = chain.hash and answered.stored and answered.hidden_at is null
          order by turn_id desc limit 1) as newest
        order by nth limit 1)`;

const insertCompletion = sql`
    completion as (
      insert into completions (turn_id, project, listed) select "turnId", project, "isListed" from placed where stored
    ),`;

/**
 * Creates the statement for new turns. `conversation` writes the conversations and returns the `id`, `position` and
 * `at_head` of their new turns. Only turns of chat completions look for a completion that they continue, and are
 * stored as a completion.
 */
function newTurns(conversation: RawBuilder<unknown>, { areCompletions = false } = {}) {
  return writeFor<QueuedTurn>(
    sql`${columns}${areCompletions ? completionColumns : sql``}`,
    (input) => sql`
    with ${input},
    conversation as (${conversation}),
    placed as materialized (
      select input.*, case when not ${isDelayed} then position end as own_position, at_head and not ${isDelayed} as heads,
        ${startsAt} as starts_at, ${deadlineAt} as deadline_at, ${areCompletions ? continued : sql`null::text`} as continues
      from input join conversation on conversation.id = "conversationId"
    ),
    turns as (
      insert into turns (id, project, conversation_id, position, priority, config, input, metadata, key_id, deadline_at, start_at,
        schedule_id, continues, stored, trace, agent)
      select "turnId", project, "conversationId", own_position, priority, config::json, input::json, metadata::json, "keyId", deadline_at,
        starts_at, "scheduleId", continues, stored, trace::json, agent from placed
    ),${areCompletions ? insertCompletion : sql``}
    work as (
      insert into work (id, project, conversation_id, position, priority, key_id, deadline_at, stored, at_head, last_event, provider,
        model, due_at, slot, debounced, warnings, agent)
      select "turnId", project, "conversationId", own_position, priority, "keyId", deadline_at, stored, heads, 1, provider, model,
        case when heads and not "needsSlot" then least(${inMs(timing.graceMs)}, deadline_at) else coalesce(deadline_at, 'infinity') end,
        case when "needsSlot" then case when heads then 'wanted' else 'none' end end, debounced, warnings::json, agent from placed
    ),
    recorded as (${recordTurns(sql`placed`)}
    ),
    event as (
      insert into events (turn_id, number, id, type) select "turnId", 1, "eventId", 'turn.queued' from placed
    )
    select "turnId", coalesce(own_position, ${sql.lit(BEHIND_ALL)}) as position, own_position is null as delayed, heads as "atHead",
      now()::text as "createdAt", starts_at::text as "startAt", continues, ${deadlineInMs} as "deadlineInMs",
      ${hasEndpoints(sql`placed.project`)} as "hasEndpoints"
    from placed`,
  );
}

/** The number of deletes before the fork. A fork keeps content of its history that is deleted later (R31). */
const deletionsBefore = sql`select deletions from turns as basis join conversations as origin
  on origin.id = basis.conversation_id where basis.id = "forkedFrom"`;

const firstOfConversation = sql`
      insert into conversations (id, project, config, metadata, turns, forked_from, forked_round, forked_after, outlives_turns,
        begun_by_turn, expiry_due_at, hidden_at, erase_due_at)
      select "conversationId", project, "standingConfig"::json, "standingMetadata"::json, "turnsBefore" + (not ${isDelayed})::int, "forkedFrom", "forkedRound",
        case when "forkedFrom" is null then 0 else (${deletionsBefore}) end, "outlivesTurns", "begunByTurn",
        now() + make_interval(secs => "expiresInSeconds"), case when not stored then now() end, case when not stored then ${inMs(timing.eraseEveryMs)} end
      from input
      returning id, turns as position, true as at_head`;

const nextOfConversation = sql`
      update conversations set turns = turns + (not ${isDelayed})::int from input where id = "conversationId"
      returning id, turns as position,
        not exists (select from work where conversation_id = conversations.id and at_head) as at_head`;

const writeFirst = newTurns(firstOfConversation);
const writeFirstCompletion = newTurns(firstOfConversation, { areCompletions: true });
const writeNext = newTurns(nextOfConversation);
const writeNextCompletion = newTurns(nextOfConversation, { areCompletions: true });
