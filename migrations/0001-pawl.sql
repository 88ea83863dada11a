-- Pawl's tables, in the order of one turn's life. Every CHECK is a promise that the code relies on.

-- A row is a conversation: turns that a caller groups, with the configuration that they inherit.
create table conversations (
  id text primary key,
  project text not null,
  config json not null,
  metadata json not null,
  -- the number of added turns, and of failed turns that were reopened: the end of a turn checks both for new turns
  turns integer not null default 0,
  reopened integer not null default 0,
  -- a fork: its history begins with the history of another conversation, up to and with this turn
  forked_from text,
  -- the round of that turn up to which a fork reads: null for all of the turn, 0 for its input alone, -1 without the
  -- turn
  forked_round integer,
  -- the number of deletes that have removed turns which forks keep, and that number when a fork was created. A fork
  -- keeps turns that were deleted after its creation
  deletions integer not null default 0,
  forked_after integer not null default 0,
  -- no caller finds a hidden conversation. A conversation that a response began is deleted with its last turn
  hidden_at timestamptz,
  outlives_turns boolean not null default true,
  -- a turn supplied its configuration, which is erased with the last turn that is deleted
  begun_by_turn boolean not null default false,
  -- the next check for content to erase, null if no content has changed since the last check
  erase_due_at timestamptz,
  -- the next check for expiry, null if it never expires
  expiry_due_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table conversations is 'A row is a conversation: turns that a caller groups.';
create index conversations_newest on conversations (project, id desc);
create index conversations_latest on conversations (created_at, id);
create index conversations_forked on conversations (forked_from) where forked_from is not null;
create index conversations_erase_due on conversations (erase_due_at) where erase_due_at is not null;
create index conversations_expiry_due on conversations (expiry_due_at) where expiry_due_at is not null;

-- A row is a turn: a user message and all work until its answer. It has the request and, after its end, the outcome.
-- In between, a row of work has its state: a turn is active exactly as long as it has that row. Items that were added
-- to a conversation are a row that is completed from the start and was never started.
create table turns (
  id text primary key,
  project text not null,
  conversation_id text not null references conversations on delete cascade,
  -- null while it is delayed
  position integer,
  -- the request, which never changes
  priority integer not null,
  config json not null,
  input json not null,
  metadata json not null,
  -- the id of the key that requested it, null without keys
  key_id text,
  deadline_at timestamptz,
  -- the requested start. Before it the turn is delayed: it has no position, and other turns do not see it
  start_at timestamptz,
  -- the schedule that started it, for its callers to read, null for nearly all
  schedule_id text,
  -- the turn of the completion that this turn continues by its messages, null except for some chat completions
  continues text,
  -- false: no caller finds the turn, and no other turn depends on it
  stored boolean not null default true,
  -- the trace context of its request, and the links of its spans, null for nearly all
  trace json,
  created_at timestamptz not null default now(),
  -- the outcome: null while it is active
  status text,
  output text,
  error json,
  incomplete_reason text,
  completed_at timestamptz,
  -- the state of its work at its end, from which a retry continues
  step text not null default 'r1',
  generation integer not null default 0,
  draft integer not null default 0,
  model text,
  started_at timestamptz,
  last_event integer not null default 0,
  inputs integer not null default 0,
  inputs_at_start integer,
  compacted_before integer,
  warnings json not null default '[]',
  failed_requests integer not null default 0,
  -- the deletion: no caller finds a hidden turn
  hidden_at timestamptz,
  -- of a hidden turn that no other turn of its conversation depends on: the last position with this turn in its
  -- history
  history_until integer,
  -- of a turn that was removed from its conversation and is kept by forks: the number of that delete
  deletion integer,
  -- the ids of its items that were deleted from the conversation, null for nearly all
  deleted_items json,
  unique (conversation_id, position),
  constraint turns_end_with_a_status check (status in ('completed', 'incomplete', 'failed', 'cancelled')),
  constraint ended_turns_say_when check ((status is null) = (completed_at is null)),
  constraint completed_turns_have_an_output check (status is distinct from 'completed' or output is not null),
  constraint failed_turns_have_an_error check ((status is not distinct from 'failed') = (error is not null)),
  constraint incomplete_turns_have_a_reason
    check ((status is not distinct from 'incomplete') = (incomplete_reason is not null)),
  constraint turns_without_a_position_have_a_time check (position is not null or start_at is not null)
);
comment on table turns is 'A row is a turn: its request and, after its end, the outcome.';
-- The columns of a condition count as indexed. No condition here names a column that a checkpoint changes.
create index turns_delayed on turns (start_at) where position is null and completed_at is null;
create index turns_continued on turns (continues, id desc) where continues is not null;
create index turns_newest on turns (project, id desc);
create index turns_newest_by_status on turns (project, status, id desc);
-- Turns by the time of their end, to find turns that the search has not entered yet. A turn is added here once, at
-- its end.
create index turns_latest on turns (completed_at, id) where completed_at is not null;
create index turns_erasable on turns (conversation_id, position) where history_until is not null or not stored;

-- A row is the work on an active turn: its step, its lease and its due time. The turn or a retry inserts it, each
-- checkpoint updates it, and the end of the turn deletes it.
create table work (
  -- the id of its turn
  id text primary key,
  -- copied from the turn, so that a checkpoint reads one row
  project text not null,
  conversation_id text not null,
  position integer,
  priority integer not null,
  key_id text,
  deadline_at timestamptz,
  stored boolean not null,
  -- the state: the step is a round (r1, r2) or the tool batch of a round (b1, b2). The first may be the batch of
  -- adopted calls (b0)
  status text not null default 'queued',
  step text not null default 'r1',
  at_head boolean not null,
  open_calls integer not null default 0,
  waiting_calls integer not null default 0,
  last_event integer not null default 0,
  -- the current model and its provider: the requested model, until it cannot answer
  provider text not null,
  model text not null,
  -- the wakeup: after due_at, a rescue enqueues the turn again under the next generation. The index has due_at
  -- rounded down, so a change within its four seconds touches no index (a HOT update)
  due_at timestamptz not null,
  due_bucket timestamptz generated always as (date_bin('4 seconds', due_at, 'epoch')) stored,
  generation integer not null default 0,
  rescues integer not null default 0,
  -- the lease: a run's right to the step, for a time. The starts count the runs that took it and may have died
  lease_owner text,
  lease_until timestamptz,
  starts integer not null default 0,
  -- the draft number of the round, for the next run of the step
  draft integer not null default 0,
  -- the wait: rate_limited means that retry_at is from a rate limit
  attempts integer not null default 0,
  retry_at timestamptz,
  rate_limited boolean not null default false,
  waiting_since timestamptz not null default now(),
  waited_ms integer not null default 0,
  -- of a round that its provider refused for lack of capacity: the refusals, the time of the first, and the tier that
  -- it has changed to. Null for nearly all
  tier_wait json,
  -- The slot is held while a step is enqueued or runs. It is wanted while the step waits for a slot. It is none while
  -- the turn waits for something else, and stopped if a bulk is about to cancel the turn. It is null while a single
  -- project may use all slots.
  slot text,
  -- while it is delayed: each merged input delays its beginning
  debounced boolean not null default false,
  -- kept by the turn at its end. Failed requests have no reply: other requests are counted in their rounds
  started_at timestamptz,
  warnings json not null default '[]',
  failed_requests integer not null default 0,
  -- the number of joined inputs, and the number before it began, null until then
  inputs integer not null default 0,
  inputs_at_start integer,
  -- the last of its rounds before which the history was compacted, null for nearly all
  compacted_before integer,
  constraint work_is_queued_in_progress_or_waits check (status in ('queued', 'in_progress', 'requires_action')),
  constraint queued_work_has_not_started check ((status = 'queued') = (started_at is null)),
  constraint steps_are_rounds_or_batches check (step ~ '^[rb][1-9][0-9]*$' or step = 'b0'),
  constraint only_batches_have_open_calls check (open_calls = 0 or step like 'b%'),
  constraint waiting_calls_are_open check (waiting_calls between 0 and open_calls),
  constraint action_is_required_for_every_open_call check (status <> 'requires_action'
    or (open_calls > 0 and open_calls = waiting_calls)),
  constraint leases_have_an_end check ((lease_owner is null) = (lease_until is null)),
  constraint only_heads_have_a_slot check (slot is null or slot in ('none', 'stopped')
    or (slot in ('wanted', 'held') and at_head)),
  constraint delayed_work_waits_for_its_time check (position is not null
    or (status = 'queued' and not at_head and lease_owner is null))
) with (fillfactor = 50);
comment on table work is 'A row is the work on an active turn: its step, its lease and its due time.';
create unique index work_one_head_per_conversation on work (conversation_id) where at_head;
create index work_by_position on work (conversation_id, position);
create index work_due on work (due_bucket);
create index work_newest_by_status on work (project, status, id desc);
create index work_holding_slot on work (project, provider) where slot = 'held';
create index work_wanting_slot on work (project, provider, (status = 'queued' and retry_at is null), priority desc, id)
  where slot = 'wanted';

-- A row is a turn in its current state: from its work while it is active, and from its end afterwards.
create view turn_states as
select turns.id, turns.project, turns.conversation_id, turns.position, turns.priority, turns.config, turns.input,
  turns.metadata, turns.key_id, turns.deadline_at, turns.start_at, turns.schedule_id, turns.continues, turns.stored,
  turns.trace, turns.created_at, coalesce(work.status, turns.status) as status, turns.output, turns.error,
  turns.incomplete_reason, turns.completed_at, coalesce(work.step, turns.step) as step,
  coalesce(work.generation, turns.generation) as generation, coalesce(work.draft, turns.draft) as draft,
  coalesce(work.model, turns.model) as model, coalesce(work.started_at, turns.started_at) as started_at,
  coalesce(work.last_event, turns.last_event) as last_event, coalesce(work.inputs, turns.inputs) as inputs,
  coalesce(work.inputs_at_start, turns.inputs_at_start) as inputs_at_start,
  coalesce(work.compacted_before, turns.compacted_before) as compacted_before,
  coalesce(work.warnings, turns.warnings) as warnings,
  coalesce(work.failed_requests, turns.failed_requests) as failed_requests, turns.hidden_at, turns.history_until,
  turns.deletion, turns.deleted_items, coalesce(work.at_head, false) as at_head,
  coalesce(work.open_calls, 0) as open_calls, coalesce(work.waiting_calls, 0) as waiting_calls, work.provider,
  work.due_at, work.due_bucket, coalesce(work.rescues, 0) as rescues, work.lease_owner, work.lease_until,
  coalesce(work.starts, 0) as starts, coalesce(work.attempts, 0) as attempts, work.retry_at,
  coalesce(work.rate_limited, false) as rate_limited, work.waiting_since, coalesce(work.waited_ms, 0) as waited_ms,
  work.tier_wait, work.slot, coalesce(work.debounced, false) as debounced
from turns left join work on work.id = turns.id;

-- A row is a chat completion that later requests find. Its turn has one row here.
create table completions (
  turn_id text primary key,
  project text not null,
  -- true if its request said store: true
  listed boolean not null,
  -- the hash of its messages with its answer, set when a client is first shown the answer
  hash text
);
comment on table completions is 'A row is a chat completion that later requests find.';
create index completions_listed on completions (project, turn_id) where listed;
create index completions_answered on completions (hash, turn_id desc) where hash is not null;

-- A row is a round: one request to the model with its reply, written once.
create table rounds (
  turn_id text not null,
  number integer not null,
  -- provider/model, in the form of the request that wrote the round
  model text not null,
  -- the reply, with data that only its provider reads
  text text,
  reasoning text,
  refusal_from integer,
  -- the service tier that the provider reported
  service_tier text,
  -- the violations of the output schema by an answer, null if there are none
  violations json,
  finish_reason text not null,
  finish_reason_raw text,
  usage json,
  opaque json,
  -- the requests for this reply, and the tries of this round
  requests integer not null default 1,
  attempts integer not null,
  draft integer not null default 0,
  -- the number of joined inputs that the model was sent with this round or before
  inputs_sent integer not null default 0,
  started_at timestamptz not null,
  completed_at timestamptz not null default now(),
  primary key (turn_id, number),
  constraint rounds_are_numbered_from_one check (number > 0)
);
comment on table rounds is 'A row is a round: one request to the model with its reply.';

-- A row is an input that has joined a turn after its request. Inputs are numbered in the order of acceptance, under
-- the lock of the turn's row of work.
create table inputs (
  turn_id text not null,
  number integer not null,
  content json not null,
  metadata json not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, number),
  constraint inputs_are_numbered_from_one check (number > 0)
);
comment on table inputs is 'A row is an input that has joined a turn after its request.';

-- A row is a compaction: before this round, the history to send was shortened. It is written once, even if no summary
-- was shorter than the rounds it replaces. Then the summary is null and replaces no rounds.
create table compactions (
  turn_id text not null,
  round integer not null,
  strategy text not null,
  -- the last round that is replaced, of this turn or of an earlier turn
  up_to_turn text not null,
  up_to_round integer not null,
  summary text,
  -- the estimated tokens of the next request, without the compaction and with it
  before_tokens integer not null,
  after_tokens integer not null,
  -- the amount of deleted content among the covered content. If it grows, the summary may mention deleted content and
  -- is not sent
  left_out integer not null,
  -- the usage of the summary. The model is provider/model, null if no model was asked
  model text,
  usage json,
  requests integer not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, round),
  constraint compactions_have_a_strategy check (strategy in ('summarize', 'drop_tool_results'))
);
comment on table compactions is 'A row is a compaction: before a round, the history to send was shortened.';

-- A row is a tool call that a round asks for, or that a turn has adopted. Its result is null until it is known.
create table tool_calls (
  turn_id text not null,
  round integer not null,
  index integer not null,
  -- the request of the model
  id text not null,
  name text not null,
  arguments text not null,
  effect text not null,
  -- the wait for a client's output or a person's approval
  waits_for text,
  expires_at timestamptz,
  approval json,
  -- the claim: the run that is about to make an at_most_once call
  claimed_by text,
  claimed_at timestamptz,
  -- the result as the model reads it, the whole output if that is shortened, and the key by which other calls reuse
  -- both
  result json,
  full_output text,
  cache_key text,
  completed_at timestamptz,
  -- the turn that has adopted the call in its round 0, after the call was handed over for a person to allow
  adopted_by text,
  primary key (turn_id, round, index),
  constraint calls_have_an_effect check (effect in ('none', 'idempotent', 'at_most_once')),
  constraint calls_wait_for_an_output_or_approval check (waits_for in ('output', 'approval'))
) with (fillfactor = 60);
comment on table tool_calls is 'A row is a tool call that a round asks for, with its result once known.';
create unique index tool_calls_by_id on tool_calls (turn_id, id);
create index tool_calls_reusable on tool_calls (cache_key) where cache_key is not null;

-- A row is an event: a fact of a turn, in order. It refers to its round or call.
create table events (
  turn_id text not null,
  number integer not null,
  id text not null,
  type text not null,
  round integer,
  call_index integer,
  data json,
  created_at timestamptz not null default now(),
  primary key (turn_id, number),
  constraint events_are_numbered_from_one check (number > 0)
);
comment on table events is 'A row is an event: a fact of a turn, in order.';

-- A row is a blob: the bytes of an image, a file or audio, stored once in a project, with their first media type.
create table blobs (
  project text not null,
  sha256 text not null,
  media_type text not null,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  primary key (project, sha256),
  constraint blobs_hold_bytes check (octet_length(bytes) > 0)
);
comment on table blobs is 'A row is a blob: the bytes of an image, a file or audio, stored once in a project.';
-- Images are compressed already, and uncompressed bytes can be read piece by piece.
alter table blobs alter column bytes set storage external;

-- A row is a reference: a turn has a blob in its input or in the result of one of its calls.
create table blob_references (
  project text not null,
  sha256 text not null,
  turn_id text not null,
  primary key (turn_id, sha256),
  constraint references_are_to_blobs foreign key (project, sha256) references blobs
);
comment on table blob_references is 'A row is a reference: a turn has a blob in its input or in a result.';
create index blob_references_by_blob on blob_references (project, sha256);

-- A row is a file: bytes that a client has sent to refer to by an id, as a blob, with their own name and media type.
create table files (
  id text primary key,
  project text not null,
  sha256 text not null,
  media_type text not null,
  size integer not null,
  filename text not null,
  purpose text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint files_are_blobs foreign key (project, sha256) references blobs
);
comment on table files is 'A row is a file: bytes that a client has sent to refer to by an id.';
create index files_by_project on files (project, id);
create index files_by_blob on files (project, sha256);
create index files_by_expiry on files (expires_at) where expires_at is not null;

-- Deletes blobs if no turn and no file refers to them. The caller has locked them.
create function delete_unused_blobs(projects text[], hashes text[]) returns void language plpgsql as $$
begin
  delete from blobs using unnest(projects, hashes) as held (project, sha256)
  where blobs.project = held.project and blobs.sha256 = held.sha256
    and not exists (
      select from blob_references as other where other.project = held.project and other.sha256 = held.sha256)
    and not exists (select from files where files.project = held.project and files.sha256 = held.sha256);
end $$;

-- Deletes a blob with the last turn or file that refers to it. Locks its row first, in one order for all, and then
-- counts its references. A reference that another transaction is about to add waits for this lock, or this lock waits
-- for the reference.
create function release_blobs(released text[]) returns void language plpgsql as $$
declare
  projects text[];
  hashes text[];
begin
  select array_agg(project), array_agg(sha256) into projects, hashes from (
    select project, sha256 from blobs
    where (project, sha256) in (select project, sha256 from blob_references where turn_id = any(released))
    order by project, sha256 for update) as held;
  delete from blob_references where turn_id = any(released);
  perform delete_unused_blobs(projects, hashes);
end $$;

-- Deletes the blobs of deleted files in the same way. The idempotency keys of the files keep no hash of their
-- content.
create function delete_dependants_of_files() returns trigger language plpgsql as $$
declare
  projects text[];
  hashes text[];
begin
  select array_agg(project), array_agg(sha256) into projects, hashes from (
    select project, sha256 from blobs where (project, sha256) in (select project, sha256 from deleted)
    order by project, sha256 for update) as held;
  perform delete_unused_blobs(projects, hashes);
  update idempotency_keys set body_hash = '' from deleted
    where idempotency_keys.created_at = deleted.created_at and resource_id = deleted.id;
  return null;
end $$;
create trigger files_delete_dependants after delete on files referencing old table as deleted
  for each statement execute function delete_dependants_of_files();

-- Deletes the rows of deleted turns. Statements that write rounds, calls and events hold the turn's row of work, so
-- no foreign key checks these rows: that would be 23 checks for a turn of four rounds. Work is deleted first: this
-- waits for a statement that still writes, and the next deletes see its rows. Pawl itself deletes only ended turns.
create function delete_dependants_of_turns() returns trigger language plpgsql as $$
begin
  delete from work where id in (select id from deleted where completed_at is null);
  delete from events where turn_id in (select id from deleted);
  delete from tool_calls where turn_id in (select id from deleted);
  delete from rounds where turn_id in (select id from deleted);
  delete from compactions
  where turn_id in (select id from deleted where compacted_before is not null or completed_at is null);
  delete from inputs where turn_id in (select id from deleted where deleted.inputs > 0 or completed_at is null);
  delete from completions where turn_id in (select id from deleted);
  if exists (select from blob_references where turn_id in (select id from deleted)) then
    perform release_blobs(array(select id from deleted));
  end if;
  perform delete_entries(array(select id from deleted));
  return null;
end $$;
create trigger turns_delete_dependants after delete on turns referencing old table as deleted
  for each statement execute function delete_dependants_of_turns();

-- A row is a webhook endpoint: a URL that receives the events of a whole project.
create table webhook_endpoints (
  id text primary key,
  project text not null,
  url text not null,
  description text,
  -- the subscription
  events jsonb not null,
  with_turn boolean not null,
  -- the state
  status text not null default 'enabled',
  disabled_reason text,
  failing_since timestamptz,
  -- the secrets: after a rotation, both sign until the old secret ends
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  created_at timestamptz not null default now(),
  constraint endpoints_are_enabled_or_disabled check (status in ('enabled', 'disabled')),
  constraint disabled_endpoints_say_why check ((status = 'disabled') = (disabled_reason is not null)),
  constraint old_secrets_have_an_end check ((old_secret is null) = (old_secret_until is null))
);
comment on table webhook_endpoints is 'A row is a webhook endpoint: a URL that receives the events of a whole project.';
create index webhook_endpoints_newest on webhook_endpoints (project, id desc);
create index webhook_endpoints_enabled on webhook_endpoints (project) where status = 'enabled';

-- A row is a delivery: an event sent to a URL, of a turn's own webhook or of an endpoint. The row outlives its
-- endpoint, so endpoint_id has no foreign key.
create table deliveries (
  id text primary key,
  project text not null,
  -- the event to send: an event of a turn, as itself or under another id and type, or an event without a turn
  turn_id text,
  event_number integer,
  event json,
  -- the receiver: a null endpoint_id is the turn's own webhook
  endpoint_id text,
  url text not null,
  -- the sharer of slots and windows: the endpoint, or the host of the turn's own webhook
  receiver text not null generated always as (coalesce(endpoint_id, split_part(url, '/', 3))) stored,
  with_turn boolean not null,
  -- the state, with the last answer
  status text not null default 'pending',
  attempts integer not null default 0,
  last_status_code integer,
  last_error text,
  -- a worker may take it at its next attempt, or after the lease of its worker has ended
  next_attempt_at timestamptz,
  due_at timestamptz,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  foreign key (turn_id, event_number) references events on delete cascade,
  constraint deliveries_are_pending_delivered_or_failed check (status in ('pending', 'delivered', 'failed')),
  constraint pending_deliveries_are_due check ((status = 'pending') = (due_at is not null)),
  constraint delivered_deliveries_say_when check ((status = 'delivered') = (delivered_at is not null)),
  constraint deliveries_send_one_event check (num_nonnulls(event_number, event) > 0
    and (turn_id is null) = (event_number is null)),
  constraint only_endpoints_subscribe_to_more_than_turns check (turn_id is not null or endpoint_id is not null)
);
comment on table deliveries is 'A row is a delivery: an event sent to a URL.';
create index deliveries_due on deliveries (project, receiver, due_at, id) where due_at is not null;
create index deliveries_by_turn on deliveries (turn_id, id);
create index deliveries_pending_by_turn on deliveries (turn_id, id) where due_at is not null;
create index deliveries_by_endpoint on deliveries (endpoint_id, id desc) where endpoint_id is not null;

-- A row is an attempt: one request of a delivery, with the answer of the receiver or the error.
create table delivery_attempts (
  delivery_id text not null references deliveries on delete cascade,
  at timestamptz not null default now(),
  attempt integer not null,
  duration_ms integer not null,
  status_code integer,
  body text,
  error text,
  primary key (delivery_id, at)
);
comment on table delivery_attempts is 'A row is an attempt: one request of a delivery, with the answer or the error.';

-- A row is an idempotency key: a request that created a resource, with the hash of its body. The hash is emptied when
-- the resource is deleted: then no request with this key creates again.
create table idempotency_keys (
  project text not null,
  path text not null,
  key text not null,
  body_hash text not null,
  status_code integer,
  resource_id text,
  created_at timestamptz not null default now(),
  primary key (project, path, key)
);
comment on table idempotency_keys is 'A row is an idempotency key: a request that created a resource.';
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- A row is a webhook secret: it signs the requests that Pawl makes for one project, but not those to endpoints.
create table webhook_secrets (
  project text primary key,
  secret text not null,
  created_at timestamptz not null default now()
);
comment on table webhook_secrets is 'A row is a webhook secret: it signs the requests that Pawl makes for one project.';

-- The row is the sealing key. It encrypts the state of a provider that callers of responses keep.
create table sealing_keys (
  id integer primary key default 1,
  key text not null,
  created_at timestamptz not null default now(),
  constraint there_is_one_sealing_key check (id = 1)
);
comment on table sealing_keys is 'The row is the sealing key. It encrypts the state of a provider that callers keep.';

-- A row is a tool rate: a limit of a tool in a project, with the latest starts that workers have booked.
create table tool_rates (
  project text not null,
  tool text not null,
  max integer not null,
  per_seconds integer not null,
  starts timestamptz[] not null default '{}',
  primary key (project, tool, max, per_seconds)
);
comment on table tool_rates is 'A row is a tool rate: a limit of a tool, with its booked starts.';

-- A row is a limit of a provider or of models, with its bookings of the last minute by quarters of a second.
create table provider_limits (
  name text primary key,
  requests json not null default '{}',
  tokens json not null default '{}'
) with (fillfactor = 50);
comment on table provider_limits is 'A row is a limit of a provider or of models, with its bookings of a minute.';

-- A row is a provider slot: a run may ask under a limit of concurrency. It counts while the run has the lease of its
-- turn.
create table provider_slots (
  limit_name text not null,
  turn_id text not null,
  run_id text not null,
  primary key (limit_name, turn_id)
);
comment on table provider_slots is 'A row is a provider slot: a run with the lease may ask under a limit.';

-- A row is a turn that waits for room under a limit. When there is room, the longest-waiting turns are woken first.
create table provider_waits (
  turn_id text primary key,
  limit_name text not null,
  -- the room that it needs
  requests integer not null,
  tokens double precision not null,
  since timestamptz not null,
  woken_at timestamptz
);
create index provider_waits_by_time on provider_waits (limit_name, since);
comment on table provider_waits is 'A row is a turn that waits for room under a limit.';

-- A row is a live worker. It reports every few seconds, and removes workers that no longer report.
create table workers (
  id text primary key,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  concurrency integer not null,
  -- the steps that it last reported, only some if there are many
  steps json not null default '[]',
  -- the tools that it can run calls with: its own tools by name, its MCP servers as mcp:<name>
  tools text[] not null default '{}',
  constraint workers_run_at_least_one_step check (concurrency > 0)
) with (fillfactor = 50);
comment on table workers is 'A row is a live worker.';

-- A row is a usage record: the usage of a commit, which is a requested turn, or the tokens of a round's reply or of a
-- summary. That commit writes it, and it outlives its turn. Usage sums replace it within minutes.
create table usage_records (
  at timestamptz not null default now(),
  project text not null,
  -- provider/model: the requested model, or the model that wrote the reply
  model text not null,
  -- the key that requested the turn, null if no keys are set
  key_id text,
  turns integer not null default 0,
  rounds integer not null default 0,
  tool_calls integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  total_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  -- the known cost, and the number of replies with an unknown cost
  cost_usd numeric not null default 0,
  unpriced integer not null default 0
);
comment on table usage_records is 'A row is a usage record: the usage of a commit.';
create index usage_records_latest on usage_records (project, at);

-- A row is a usage sum: equal usage records of a quarter of an hour, after some minutes, or of a UTC day, after more
-- than a month. Midnight in every time zone begins a quarter. Without a key, key_id is empty.
create table usage_sums (
  at timestamptz not null,
  project text not null,
  model text not null,
  key_id text not null,
  turns bigint not null,
  rounds bigint not null,
  tool_calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  total_tokens bigint not null,
  cached_input_tokens bigint not null,
  cache_write_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_usd numeric not null,
  unpriced bigint not null,
  primary key (project, at, model, key_id)
);
comment on table usage_sums is 'A row is a usage sum: equal usage records of a quarter of an hour, later of a day.';
-- Sums that are neither of a day nor of its first quarter.
create index usage_sums_of_quarters on usage_sums (at) where at <> date_bin('1 day', at, 'epoch');

-- A row is a bulk: one action on many turns, which workers treat turn by turn. Its settled turns are counted here
-- batch by batch. The others are in bulk_turns.
create table bulks (
  id text primary key,
  project text not null,
  action text not null,
  filter json not null,
  matched integer not null,
  done integer not null default 0,
  failed integer not null default 0,
  -- the first twenty failed turns, each with the code of the refusal
  errors json not null default '[]',
  -- of a cancelling bulk: up to this turn, turns that have not begun are stopped. Null if all are stopped
  stops_after text,
  -- the time when a worker should treat it, moved forward by that worker
  due_at timestamptz,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  constraint bulks_have_an_action check (action in ('cancel', 'retry', 'delete')),
  constraint open_bulks_are_due check ((completed_at is null) = (due_at is not null)),
  constraint completed_bulks_have_nothing_left check (done + failed <= matched
    and (completed_at is null or done + failed = matched))
);
comment on table bulks is 'A row is a bulk: one action on many turns, which workers treat turn by turn.';
create index bulks_due on bulks (due_at) where due_at is not null;

-- A row is a turn of a bulk that matched when the bulk was requested. Its outcome is null until the turn is treated,
-- then done or the code of the refusal. The row is deleted after its outcome is counted.
create table bulk_turns (
  bulk_id text not null,
  turn_id text not null,
  outcome text,
  primary key (bulk_id, turn_id)
);
comment on table bulk_turns is 'A row is a turn of a bulk with an outcome that is open or not counted yet.';
create index bulk_turns_settled on bulk_turns (bulk_id) where outcome is not null;

-- A row is a schedule: a plan, and the turn request for each planned time. A plan is a cron expression by the clocks
-- of a time zone, or a number of seconds, counted from a moment.
create table schedules (
  id text primary key,
  project text not null,
  key_id text,
  cron text,
  time_zone text,
  every_seconds integer,
  since timestamptz not null,
  turn json not null,
  -- null: each of its turns begins a conversation
  conversation_id text,
  if_missed text not null,
  -- the next planned time, null while it is disabled
  next_at timestamptz,
  -- rises with each change, which makes earlier reads invalid
  revision integer not null default 0,
  created_at timestamptz not null,
  constraint schedules_have_a_plan
    check ((cron is null) = (every_seconds is not null) and (cron is null) = (time_zone is null)),
  constraint schedules_start_missed_turns_once_or_skip check (if_missed in ('once', 'skip'))
);
comment on table schedules is 'A row is a schedule: a plan, and the turn request for each planned time.';
create index schedules_newest on schedules (project, id desc);
create index schedules_due on schedules (next_at) where next_at is not null;

-- A row is a firing: the outcome of a planned time of a schedule, a turn or an error. The last twenty of each are
-- kept.
create table firings (
  schedule_id text not null references schedules on delete cascade,
  planned_at timestamptz not null,
  turn_id text,
  error json,
  primary key (schedule_id, planned_at),
  constraint firings_start_a_turn_or_say_why check ((turn_id is null) = (error is not null))
);
comment on table firings is 'A row is a firing: the outcome of a planned time of a schedule.';

-- A row is a search entry. It finds a turn or a conversation by its words, model, error or metadata. A turn is
-- entered a moment after its end, and once before if it is active for long. Until then the search reads its row.
create table search_entries (
  id text primary key,
  -- the end of its turn, null for an active turn and for a conversation. If it differs from the turn's end, the entry
  -- is old
  completed_at timestamptz,
  tokens tsvector not null
);
comment on table search_entries is 'A row is a search entry. It finds a turn or a conversation.';
create index search_entries_by_token on search_entries using gin (tokens) with (gin_pending_list_limit = 1024);

-- The row is the progress of the search. Ended turns and created conversations have their entries up to these times
-- and, at the very time, up to these ids. Active turns have their entries up to an id.
create table search_progress (
  id integer primary key default 1,
  turns_until timestamptz not null default '-infinity',
  last_turn text not null default '',
  active_until text not null default '',
  conversations_until timestamptz not null default '-infinity',
  last_conversation text not null default '',
  constraint there_is_one_progress check (id = 1)
);
comment on table search_progress is 'The row is the progress of the search.';
insert into search_progress default values;

-- Returns a token that is not a word: no word of a text begins with its sign.
create function search_token(kind text, value text) returns text immutable parallel safe language sql as $$
  select '=' || left(md5(kind || chr(1) || value), 16)
$$;

-- Returns the tokens of an entry. The first tokens are prefixes of its id, which encode the creation time at seven
-- resolutions: 32 years, one year, 12 days, 9 hours, 17 minutes, 33 seconds and one second. By these the search walks
-- from the newest to the oldest. This function creates each entry, since plpgsql keeps its plans.
create function search_tokens(kind text, id text, project text, model text, metadata json, error_code text, status text)
returns tsvector immutable parallel safe language plpgsql as $$
declare
  digits text := '=' || left(split_part(id, '_', 2), 8);
  pairs text[];
begin
  -- apart from the expression below, since plpgsql evaluates an expression without a query directly
  if metadata::text <> '{}' then
    pairs := array(select search_token('metadata', key || chr(1) || value) from json_each_text(metadata));
  end if;
  return array_to_tsvector(
    array_remove(array[left(digits, 3), left(digits, 4), left(digits, 5), left(digits, 6), left(digits, 7),
      left(digits, 8), digits, search_token(kind, project), search_token(kind || ' model', model),
      search_token('error_code', error_code), search_token('status', status)], null)
    || pairs);
end $$;

-- Returns an entry with the words of a text. If they are too many for an entry, it has the words of the first half,
-- or quarter.
create function search_entry(tokens tsvector, said text) returns tsvector immutable parallel safe language plpgsql as $$
begin
  return tokens || to_tsvector('pg_catalog.simple', said);
exception
  when program_limit_exceeded then return search_entry(tokens, left(said, length(said) / 2));
end $$;

create function text_of_parts(parts json) returns text immutable parallel safe language plpgsql as $$
begin
  return (select string_agg(part ->> 'text', ' ') from json_array_elements(parts) as part);
end $$;

-- Returns the entry of a turn: the texts of its input, of its joined inputs and of its output, with its tokens.
create function entry_of_turn(turn_id text, project text, model text, metadata json, error_code text, ended_as text,
  input json, joined text, output text)
returns tsvector immutable parallel safe language plpgsql as $$
begin
  return search_entry(search_tokens('turn', turn_id, project, model, metadata, error_code, ended_as), concat_ws(' ', (
    select string_agg(concat_ws(' ',
      case json_typeof(item -> 'content') when 'string' then item ->> 'content'
        when 'array' then text_of_parts(item -> 'content') end,
      item ->> 'arguments', item ->> 'summary',
      case json_typeof(item -> 'output') when 'string' then item ->> 'output'
        when 'array' then text_of_parts(item -> 'output') end), ' ')
    from json_array_elements(input) as item), joined, output));
end $$;

-- Returns the texts of the inputs that joined a turn.
create function text_of_joined(joined_turn text) returns text stable parallel safe language sql as $$
  select string_agg(case json_typeof(item -> 'content') when 'string' then item ->> 'content'
    else text_of_parts(item -> 'content') end, ' ' order by number)
  from inputs, json_array_elements(content) as item where turn_id = joined_turn
$$;

-- Deletes entries. Waits for entries that are being created, since entries of rows that were read before their delete
-- would stay.
create function delete_entries(deleted_ids text[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('pawl.search_entries'));
  delete from search_entries where id = any(deleted_ids);
end $$;

create function delete_entries_of_conversations() returns trigger language plpgsql as $$
begin
  perform delete_entries(array(select id from deleted));
  return null;
end $$;
create trigger conversations_delete_entries after delete on conversations referencing old table as deleted
  for each statement execute function delete_entries_of_conversations();

create function delete_entry_of_hidden_conversation() returns trigger language plpgsql as $$
begin
  perform delete_entries(array[new.id]);
  return null;
end $$;
create trigger hidden_conversations_delete_entries after update of hidden_at on conversations for each row
  when (old.hidden_at is null and new.hidden_at is not null) execute function delete_entry_of_hidden_conversation();

-- A row is a request minute: the requests of a project since it began, including refused requests. Each request of a
-- project with requests_per_minute writes it. The table is unlogged, so that no request waits for the disk. After a
-- crash of the database the minute begins again.
create unlogged table request_minutes (
  project text primary key,
  begun_at timestamptz not null,
  requests bigint not null
) with (fillfactor = 10);
comment on table request_minutes is 'A row is a request minute: the requests of a project since it began.';

-- Makes a conversation due for a check when its expiry changes. The check sets the next check (R32).
create function make_expiry_due() returns trigger language plpgsql as $$
begin
  new.expiry_due_at = case when new.config ->> 'expires_in_seconds' is not null then now() end;
  return new;
end $$;
create trigger conversations_make_expiry_due before update of config on conversations for each row
  when (new.config ->> 'expires_in_seconds' is distinct from old.config ->> 'expires_in_seconds')
  execute function make_expiry_due();

-- A row is a project that runs its maximum of turns. Its other turns wait for a slot.
create table full_projects (
  name text primary key
);
comment on table full_projects is 'A row is a project that runs its maximum of turns.';

-- Assigns slots to turns that want a slot, up to the window and the quota of their project, and returns the wakeups
-- to enqueue. A project without a share has the weight 1. Each statement sees earlier commits, so slots are
-- counted as the last admission has left them. One admission runs at a time, since two with the same count would
-- assign a slot twice (R28).
create function admit_turns(shares json, own_slots integer, is_shared boolean)
returns table (turn_id text, turn_step text, turn_generation integer, turn_provider text)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('pawl.admission'));
  -- a turn after its wait requests a slot (R27)
  update work set slot = 'wanted', generation = generation + 1, due_at = coalesce(deadline_at, 'infinity')
  where id = any(array(
    select id from work
    where due_bucket < now() and due_at < now() and slot = 'none' and at_head and coalesce(deadline_at > now(), true)
    order by due_bucket limit 1000 for no key update skip locked));
  return query
  with recursive share as materialized (
    select * from json_to_recordset(shares) as share (project text, weight double precision, most integer)
  ),
  slots as materialized (
    select coalesce(nullif(sum(concurrency), 0), own_slots) as number from workers
    where last_seen_at > now() - interval '10 seconds'
  ),
  wanting as (
    (select project, provider from work where slot = 'wanted' order by project, provider limit 1)
    union all
    select next.project, next.provider from wanting cross join lateral (
      select work.project, work.provider from work
      where slot = 'wanted' and (work.project, work.provider) > (wanting.project, wanting.provider)
      order by work.project, work.provider limit 1) as next
  ),
  busy as materialized (
    select project, provider, sum(held) as held, bool_or(wants) as wants from (
      select project, provider, count(*) as held, false as wants from work where slot = 'held'
      group by project, provider
      union all select project, provider, 0, true from wanting
    ) as counted group by project, provider
  ),
  weighed as (
    select busy.*, number as slots, share.most, coalesce(share.weight, 1) as weight,
      sum(held) over (partition by busy.project) as used
    from busy cross join slots left join share on share.project = busy.project
  ),
  room as materialized (
    select project, provider, wants, most - used as quota, greatest(1, least(
        floor(slots * weight / sum(weight) over (partition by provider)),
        case when is_shared then floor(slots * 0.75) end)) - held as free
    from weighed
  ),
  candidate as materialized (
    select next.id, quota,
      row_number() over (partition by project order by next.is_new, next.priority desc, next.id) as nth
    from room cross join lateral (
      select id, priority, status = 'queued' and retry_at is null as is_new from work
      where slot = 'wanted' and work.project = room.project and work.provider = room.provider
      order by status = 'queued' and retry_at is null, priority desc, id
      limit greatest(least(free, quota), 0)::integer for no key update skip locked) as next
    where wants and free > 0
  )
  update work set slot = 'held',
    due_at = least(now() + interval '5 seconds', case when deadline_at > now() then deadline_at end)
  from candidate where work.id = candidate.id and coalesce(nth <= quota, true)
  returning work.id, work.step, work.generation, work.provider;
  with filled as materialized (
    select share.project from json_to_recordset(shares) as share (project text, most integer)
    join (select project, count(*) as number from work where slot = 'held' group by project) as held
      on held.project = share.project
    where most <= number and exists (select from work where slot = 'wanted' and work.project = share.project)
  ),
  emptied as (delete from full_projects where name not in (select project from filled))
  insert into full_projects select project from filled on conflict do nothing;
end $$;
