-- Pawl's tables, in the order of one turn's life. Every CHECK is a promise that the code relies on.

-- A row is a conversation: the turns that one caller keeps together, with the configuration they inherit.
create table conversations (
  id text primary key,
  project text not null,
  config json not null,
  metadata json not null,
  -- turns that were added, and failed turns that were reopened: the end of a turn checks both for newcomers
  turns integer not null default 0,
  reopened integer not null default 0,
  -- a fork: its history begins with that of another conversation, up to and with this turn
  forked_from text,
  -- of a fork up to a round of that turn: the round; 0 where it stands on the input alone, -1 where the turn is not part of its
  -- history. Null of one that stands on all of the turn
  forked_round integer,
  -- how many deletes have taken turns out of it that forks keep; a fork stands on what was deleted after it was made
  deletions integer not null default 0,
  forked_after integer not null default 0,
  -- no caller finds it any more; one that a response began goes with its last turn
  hidden_at timestamptz,
  outlives_turns boolean not null default true,
  -- its configuration came with a turn, and goes with the last turn that is deleted
  begun_by_turn boolean not null default false,
  -- when to look for what of it can be erased; null where nothing has changed since it was last looked at
  erase_due_at timestamptz,
  -- when to look whether it has expired; null where it never does
  expiry_due_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table conversations is 'A row is a conversation: the turns that one caller keeps together.';
create index conversations_newest on conversations (project, id desc);
create index conversations_latest on conversations (created_at, id);
create index conversations_forked on conversations (forked_from) where forked_from is not null;
create index conversations_erase_due on conversations (erase_due_at) where erase_due_at is not null;
create index conversations_expiry_due on conversations (expiry_due_at) where expiry_due_at is not null;

-- A row is a turn: one user message and all work until its answer. It has the request, and the outcome once the turn has
-- ended. Between the two, a row of work has its state: a turn is active exactly as long as it has that row.
-- Items that were added to a conversation are a row that is completed from the start and was never started.
create table turns (
  id text primary key,
  project text not null,
  conversation_id text not null references conversations on delete cascade,
  -- null while it is delayed
  position integer,
  -- the request: it never changes
  priority integer not null,
  config json not null,
  input json not null,
  metadata json not null,
  -- the id of the key that asked for it; null without keys
  key_id text,
  deadline_at timestamptz,
  -- before this time it is delayed, in no line and seen by no other turn; null if no time was asked for
  start_at timestamptz,
  -- the schedule that started it, for its callers to read; null for nearly all
  schedule_id text,
  -- the turn whose completion this one continues by its messages; null for all but some chat completions
  continues text,
  -- false: no caller finds the turn, and no other turn stands on it
  stored boolean not null default true,
  -- the trace context that its request came with, and the links of its spans; null for nearly all
  trace json,
  created_at timestamptz not null default now(),
  -- the outcome: null while it is active
  status text,
  output text,
  error json,
  incomplete_reason text,
  completed_at timestamptz,
  -- the state that its work had at its end. A retry continues from it
  step text not null default 'r1',
  generation integer not null default 0,
  edition integer not null default 0,
  model text,
  started_at timestamptz,
  last_event integer not null default 0,
  inputs integer not null default 0,
  begun_with integer,
  compacted_before integer,
  warnings json not null default '[]',
  failed_requests integer not null default 0,
  -- deleted: no caller finds a hidden turn
  hidden_at timestamptz,
  -- of a hidden turn that no other of its conversation stands on: the last position whose history it was in
  history_until integer,
  -- of one that was taken out of its conversation and is kept by forks: which of the conversation's deletes that was
  deletion integer,
  -- ids of its items that were deleted from the conversation; null for nearly all
  deleted_items json,
  unique (conversation_id, position),
  constraint turns_end_with_a_status check (status in ('completed', 'incomplete', 'failed', 'cancelled')),
  constraint ended_turns_say_when check ((status is null) = (completed_at is null)),
  constraint completed_turns_have_an_output check (status is distinct from 'completed' or output is not null),
  constraint failed_turns_have_an_error check ((status is not distinct from 'failed') = (error is not null)),
  constraint incomplete_turns_have_a_reason check ((status is not distinct from 'incomplete') = (incomplete_reason is not null)),
  constraint turns_without_a_position_have_a_time check (position is not null or start_at is not null)
);
comment on table turns is 'A row is a turn: its request, and its outcome once it has ended.';
-- The columns of a condition count as indexed. None here names a column that a checkpoint changes.
create index turns_delayed on turns (start_at) where position is null and completed_at is null;
create index turns_continued on turns (continues, id desc) where continues is not null;
create index turns_newest on turns (project, id desc);
create index turns_newest_by_status on turns (project, status, id desc);
-- turns by when they have ended: what the search has not entered yet. A turn is written to it once, at its end
create index turns_latest on turns (completed_at, id) where completed_at is not null;
create index turns_erasable on turns (conversation_id, position) where history_until is not null or not stored;

-- A row is the work on an active turn: its step, its lease and when it is due. It is inserted with the turn or by a retry,
-- each checkpoint updates it, and the end of the turn deletes it. docs/architecture.md has its transitions as a table.
create table work (
  -- the id of its turn
  id text primary key,
  -- of the turn, copied, so that a checkpoint reads one row
  project text not null,
  conversation_id text not null,
  position integer,
  priority integer not null,
  key_id text,
  deadline_at timestamptz,
  stored boolean not null,
  -- the state: the step is a round (r1, r2) or the tool batch of a round (b1, b2), first of all that of adopted calls (b0)
  status text not null default 'queued',
  step text not null default 'r1',
  at_head boolean not null,
  open_calls integer not null default 0,
  waiting_calls integer not null default 0,
  last_event integer not null default 0,
  -- the model that is asked now, and its provider: the one asked for until that cannot answer
  provider text not null,
  model text not null,
  -- the wake-up: a rescue enqueues the turn again once due_at has passed, under the next generation. What is indexed is
  -- due_at rounded down: a change within its four seconds touches no index (a HOT update)
  due_at timestamptz not null,
  due_slot timestamptz generated always as (date_bin('4 seconds', due_at, 'epoch')) stored,
  generation integer not null default 0,
  rescues integer not null default 0,
  -- the lease: one run's right to the step, for a time; starts count the runs that took it and may have died
  lease_owner text,
  lease_until timestamptz,
  starts integer not null default 0,
  -- the edition of the round that the next run of the step writes
  edition integer not null default 0,
  -- the wait: rate_limited says that retry_at comes from a rate limit
  attempts integer not null default 0,
  retry_at timestamptz,
  rate_limited boolean not null default false,
  waiting_since timestamptz not null default now(),
  waited_ms integer not null default 0,
  -- of a round that its provider refused for lack of capacity: the refusals, the time of the first, and the tier that
  -- it has changed to. Null for nearly all
  tier_wait json,
  -- the place among those of the workers: held while a step is in the queue or at work, wanted where it would be, none
  -- while the turn waits, stopped until a bulk has cancelled it. Null where turns need no place: one project alone has all
  place text,
  -- while it is delayed: what is merged into it puts its beginning off
  debounced boolean not null default false,
  -- kept by the turn at its end. Failed requests brought no reply: other requests are counted in their rounds
  started_at timestamptz,
  warnings json not null default '[]',
  failed_requests integer not null default 0,
  -- how many inputs have joined it, and how many of them before it was begun; null until it is
  inputs integer not null default 0,
  begun_with integer,
  -- the last of its rounds before which the history was compacted; null for nearly all
  compacted_before integer,
  constraint work_is_queued_in_progress_or_waits check (status in ('queued', 'in_progress', 'requires_action')),
  constraint queued_work_has_not_started check ((status = 'queued') = (started_at is null)),
  constraint steps_are_rounds_or_batches check (step ~ '^[rb][1-9][0-9]*$' or step = 'b0'),
  constraint only_batches_have_open_calls check (open_calls = 0 or step like 'b%'),
  constraint waiting_calls_are_open check (waiting_calls between 0 and open_calls),
  constraint action_is_required_for_every_open_call check (status <> 'requires_action'
    or (open_calls > 0 and open_calls = waiting_calls)),
  constraint leases_have_an_end check ((lease_owner is null) = (lease_until is null)),
  constraint only_heads_have_a_place check (place is null or place in ('none', 'stopped')
    or (place in ('wanted', 'held') and at_head)),
  constraint delayed_work_waits_for_its_time check (position is not null
    or (status = 'queued' and not at_head and lease_owner is null))
) with (fillfactor = 50);
comment on table work is 'A row is the work on an active turn: its step, its lease and when it is due.';
create unique index work_one_head_per_conversation on work (conversation_id) where at_head;
create index work_in_line on work (conversation_id, position);
create index work_due on work (due_slot);
create index work_newest_by_status on work (project, status, id desc);
create index work_with_place on work (project, provider) where place = 'held';
create index work_wanting_place on work (project, provider, (status = 'queued' and retry_at is null), priority desc, id)
  where place = 'wanted';

-- A row is a turn as it stands: as its work says while it is active, and as it ended afterwards.
create view turn_states as
select turns.id, turns.project, turns.conversation_id, turns.position, turns.priority, turns.config, turns.input, turns.metadata,
  turns.key_id, turns.deadline_at, turns.start_at, turns.schedule_id, turns.continues, turns.stored, turns.trace, turns.created_at,
  coalesce(work.status, turns.status) as status, turns.output, turns.error, turns.incomplete_reason, turns.completed_at,
  coalesce(work.step, turns.step) as step, coalesce(work.generation, turns.generation) as generation,
  coalesce(work.edition, turns.edition) as edition, coalesce(work.model, turns.model) as model,
  coalesce(work.started_at, turns.started_at) as started_at, coalesce(work.last_event, turns.last_event) as last_event,
  coalesce(work.inputs, turns.inputs) as inputs, coalesce(work.begun_with, turns.begun_with) as begun_with,
  coalesce(work.compacted_before, turns.compacted_before) as compacted_before,
  coalesce(work.warnings, turns.warnings) as warnings, coalesce(work.failed_requests, turns.failed_requests) as failed_requests,
  turns.hidden_at, turns.history_until, turns.deletion, turns.deleted_items,
  coalesce(work.at_head, false) as at_head, coalesce(work.open_calls, 0) as open_calls,
  coalesce(work.waiting_calls, 0) as waiting_calls, work.provider, work.due_at, work.due_slot, coalesce(work.rescues, 0) as rescues,
  work.lease_owner, work.lease_until, coalesce(work.starts, 0) as starts, coalesce(work.attempts, 0) as attempts, work.retry_at,
  coalesce(work.rate_limited, false) as rate_limited, work.waiting_since, coalesce(work.waited_ms, 0) as waited_ms, work.tier_wait,
  work.place, coalesce(work.debounced, false) as debounced
from turns left join work on work.id = turns.id;

-- A row is a chat completion that later requests find: its turn has one row here.
create table completions (
  turn_id text primary key,
  project text not null,
  -- its request said store: true
  listed boolean not null,
  -- the hash of its messages with its answer, from when a client was first shown the answer
  hash text
);
comment on table completions is 'A row is a chat completion that later requests find.';
create index completions_listed on completions (project, turn_id) where listed;
create index completions_answered on completions (hash, turn_id desc) where hash is not null;

-- A row is a round: one request to the model with its reply, written once.
create table rounds (
  turn_id text not null,
  number integer not null,
  -- provider/model, as asked when it wrote the round
  model text not null,
  -- the reply, with what only its provider reads
  text text,
  reasoning text,
  refusal_from integer,
  -- the service tier that the provider reported
  service_tier text,
  -- of an answer: where it breaks the output schema of its turn; null where it does not
  violations json,
  finish_reason text not null,
  finish_reason_raw text,
  usage json,
  opaque json,
  -- what it took: requests for this reply, tries of this round
  requests integer not null default 1,
  attempts integer not null,
  edition integer not null default 0,
  -- how many of the inputs that have joined its turn the model was sent with it or before
  sent integer not null default 0,
  started_at timestamptz not null,
  completed_at timestamptz not null default now(),
  primary key (turn_id, number),
  constraint rounds_are_numbered_from_one check (number > 0)
);
comment on table rounds is 'A row is a round: one request to the model with its reply.';

-- A row is an input that has joined a turn after it was asked for, numbered in the order of acceptance under
-- the lock of its row of work.
create table inputs (
  turn_id text not null,
  number integer not null,
  content json not null,
  metadata json not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, number),
  constraint inputs_are_numbered_from_one check (number > 0)
);
comment on table inputs is 'A row is an input that has joined a turn after it was asked for.';

-- A row is a compaction: before this round, what is sent of the history was made shorter. Written once, also where no summary came
-- of it that is shorter than what it replaces: then the summary is null and nothing is replaced.
create table compactions (
  turn_id text not null,
  round integer not null,
  strategy text not null,
  -- the last round that is replaced, of this turn or of one before it
  up_to_turn text not null,
  up_to_round integer not null,
  summary text,
  -- tokens of the next request as they were estimated, without it and with it
  before_tokens integer not null,
  after_tokens integer not null,
  -- how much had been deleted of what it covers: once it is more, the summary may tell of what is gone and is not sent
  left_out integer not null,
  -- what the summary took; the model as provider/model, null where none was asked
  model text,
  usage json,
  requests integer not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, round),
  constraint compactions_have_a_strategy check (strategy in ('summarize', 'drop_tool_results'))
);
comment on table compactions is 'A row is a compaction: before a round, what is sent of the history was made shorter.';

-- A row is a tool call: one call that a round asks for, or that a turn adopted. Its result is null until it is known.
create table tool_calls (
  turn_id text not null,
  round integer not null,
  index integer not null,
  -- what the model asks for
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
  -- the result as the model reads it, the whole output where that is cut, and the key by which other calls reuse both
  result json,
  full_output text,
  cache_key text,
  completed_at timestamptz,
  -- the turn that has run the call since, in its round 0: one that was handed over for a person to allow
  adopted_by text,
  primary key (turn_id, round, index),
  constraint calls_have_an_effect check (effect in ('none', 'idempotent', 'at_most_once')),
  constraint calls_wait_for_an_output_or_approval check (waits_for in ('output', 'approval'))
) with (fillfactor = 60);
comment on table tool_calls is 'A row is a tool call: one call that a round asks for, with its result once known.';
create unique index tool_calls_by_id on tool_calls (turn_id, id);
create index tool_calls_reusable on tool_calls (cache_key) where cache_key is not null;

-- A row is an event: what happened to a turn, in order. It points at the round or call that it is about.
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
comment on table events is 'A row is an event: what happened to a turn, in order.';

-- A row is a blob: the bytes of an image, a file or audio, kept once in a project, with the type that they first came with.
create table blobs (
  project text not null,
  sha256 text not null,
  media_type text not null,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  primary key (project, sha256),
  constraint blobs_hold_bytes check (octet_length(bytes) > 0)
);
comment on table blobs is 'A row is a blob: the bytes of an image, a file or audio, kept once in a project.';
-- Images are compressed already, and what is not compressed can be read piece by piece.
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

-- A row is a file: bytes that a client sent to refer to them by an id, as a blob, with their own name and media type.
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
comment on table files is 'A row is a file: bytes that a client sent to refer to them by an id.';
create index files_by_project on files (project, id);
create index files_by_blob on files (project, sha256);
create index files_by_expiry on files (expires_at) where expires_at is not null;

-- Deletes blobs to which no turn and no file refers. The caller has locked them.
create function delete_unused_blobs(projects text[], hashes text[]) returns void language plpgsql as $$
begin
  delete from blobs using unnest(projects, hashes) as held (project, sha256)
  where blobs.project = held.project and blobs.sha256 = held.sha256
    and not exists (
      select from blob_references as other where other.project = held.project and other.sha256 = held.sha256)
    and not exists (select from files where files.project = held.project and files.sha256 = held.sha256);
end $$;

-- A blob is deleted with the last turn or file that refers to it. Its row is locked first, in one order for all, and
-- only then are its references counted: one that another transaction is about to add waits for this lock, or this lock
-- waits for it.
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

-- Deletes the blobs of deleted files in the same way. The idempotency keys of the files keep no hash of their content.
create function delete_what_hangs_on_files() returns trigger language plpgsql as $$
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
create trigger files_take_along after delete on files referencing old table as deleted
  for each statement execute function delete_what_hangs_on_files();

-- Rounds, calls and events are written by statements that hold the row of work of their turn, so no foreign key watches over
-- each of these rows: twenty-three checks for a turn of four rounds. When turns are deleted, their rows are deleted too. Work
-- comes first: this waits for a statement that still writes, and the next ones see its rows. Only ended turns are deleted by
-- Pawl itself.
create function delete_what_hangs_on_turns() returns trigger language plpgsql as $$
begin
  delete from work where id in (select id from deleted where completed_at is null);
  delete from events where turn_id in (select id from deleted);
  delete from tool_calls where turn_id in (select id from deleted);
  delete from rounds where turn_id in (select id from deleted);
  delete from compactions where turn_id in (select id from deleted where compacted_before is not null or completed_at is null);
  delete from inputs where turn_id in (select id from deleted where deleted.inputs > 0 or completed_at is null);
  delete from completions where turn_id in (select id from deleted);
  if exists (select from blob_references where turn_id in (select id from deleted)) then
    perform release_blobs(array(select id from deleted));
  end if;
  perform forget_entries(array(select id from deleted));
  return null;
end $$;
create trigger turns_take_along after delete on turns referencing old table as deleted
  for each statement execute function delete_what_hangs_on_turns();

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
  -- the secrets: after a rotation, both sign until the old one ends
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

-- A row is a delivery: one event sent to one URL, that of a turn's own webhook or of an endpoint.
-- The row outlives its endpoint, so endpoint_id references nothing.
create table deliveries (
  id text primary key,
  project text not null,
  -- what is sent: an event of a turn, as itself or under an id and a type of its own, or an event that no turn has
  turn_id text,
  event_number integer,
  event json,
  -- where to: a null endpoint_id is the turn's own webhook
  endpoint_id text,
  url text not null,
  -- what shares slots and windows: the endpoint, or the host of the turn's own webhook
  receiver text not null generated always as (coalesce(endpoint_id, split_part(url, '/', 3))) stored,
  with_turn boolean not null,
  -- the state, with the last answer
  status text not null default 'pending',
  attempts integer not null default 0,
  last_status_code integer,
  last_error text,
  -- when a worker may take it: at its next attempt, or once the lease of the worker on it has ended
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
comment on table deliveries is 'A row is a delivery: one event sent to one URL.';
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
comment on table delivery_attempts is 'A row is an attempt: one request of a delivery, with what came of it.';

-- A row is an idempotency key: one creating request, with the hash of its body and what it made. The hash goes with what was
-- made: an empty one says that no request with this key makes anything again.
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
comment on table idempotency_keys is 'A row is an idempotency key: one creating request, and what it made.';
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- A row is a webhook secret: it signs the requests that Pawl makes for one project, but not those to endpoints.
create table webhook_secrets (
  project text primary key,
  secret text not null,
  created_at timestamptz not null default now()
);
comment on table webhook_secrets is 'A row is a webhook secret: it signs the requests that Pawl makes for one project.';

-- The row is the sealing key: it encrypts what callers of responses keep of a provider's state.
create table sealing_keys (
  id integer primary key default 1,
  key text not null,
  created_at timestamptz not null default now(),
  constraint there_is_one_sealing_key check (id = 1)
);
comment on table sealing_keys is 'The row is the sealing key: it encrypts what callers of responses keep of a provider''s state.';

-- A row is a tool rate: one limit of a tool in a project, with the latest starts that workers booked under it.
create table tool_rates (
  project text not null,
  tool text not null,
  max integer not null,
  per_seconds integer not null,
  starts timestamptz[] not null default '{}',
  primary key (project, tool, max, per_seconds)
);
comment on table tool_rates is 'A row is a tool rate: one limit of a tool, with the starts booked under it.';

-- A row is a limit of a provider or of models, with what was booked under it in the last minute, by quarters of a
-- second.
create table provider_limits (
  name text primary key,
  requests json not null default '{}',
  tokens json not null default '{}'
) with (fillfactor = 50);
comment on table provider_limits is 'A row is a limit of a provider or of models, with what was booked under it in the last minute.';

-- A row is a slot: a run may ask under a limit of concurrency. It counts as long as the run has the lease of its turn.
create table provider_slots (
  limit_name text not null,
  turn_id text not null,
  run_id text not null,
  primary key (limit_name, turn_id)
);
comment on table provider_slots is 'A row is a slot: a run with the lease may ask under a limit of concurrency.';

-- A row is a turn that waits for room under a limit. It is woken when there is room, those first that have waited for
-- longest.
create table provider_waits (
  turn_id text primary key,
  limit_name text not null,
  -- the room that it needs
  requests integer not null,
  tokens double precision not null,
  since timestamptz not null,
  woken_at timestamptz
);
create index provider_waits_in_line on provider_waits (limit_name, since);
comment on table provider_waits is 'A row is a turn that waits for room under a limit.';

-- A row is a worker that is alive. It says so every few seconds, and removes workers that stopped saying so.
create table workers (
  id text primary key,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  concurrency integer not null,
  -- the steps it was on when it was last seen, some of them where there are many
  steps json not null default '[]',
  -- what it has to run calls with: its own tools by name, its MCP servers as mcp:<name>
  tools text[] not null default '{}',
  constraint workers_run_at_least_one_step check (concurrency > 0)
) with (fillfactor = 50);
comment on table workers is 'A row is a worker that is alive.';

-- A row is a usage record: what one commit used. A turn that was asked for, or a reply with its tokens: that of a round, or a
-- summary. It is written by that commit and outlives its turn. Small sums take its place within minutes.
create table usage_records (
  at timestamptz not null default now(),
  project text not null,
  -- provider/model: the one that was asked for, or the one that wrote the reply
  model text not null,
  -- the key that asked for the turn; null where no keys are set
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
  -- what is known of the cost, and the replies of which it is not
  cost_usd numeric not null default 0,
  unpriced integer not null default 0
);
comment on table usage_records is 'A row is a usage record: what one commit used.';
create index usage_records_latest on usage_records (project, at);

-- A row is a usage sum: the usage records that were alike of a quarter of an hour, once they are some minutes old, or of a UTC day, once
-- they are more than a month old. Midnight in every time zone begins a quarter. Without a key, key_id is empty.
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
comment on table usage_sums is 'A row is a usage sum: the usage records of a quarter of an hour, later of a day, that were alike.';
-- those that are not of a day yet, or of its first quarter
create index usage_sums_of_quarters on usage_sums (at) where at <> date_bin('1 day', at, 'epoch');

-- A row is a bulk: one action on many turns, which workers do turn by turn. What of its turns is settled is counted here portion by
-- portion; the rest is in bulk_turns.
create table bulks (
  id text primary key,
  project text not null,
  action text not null,
  filter json not null,
  matched integer not null,
  done integer not null default 0,
  failed integer not null default 0,
  -- the first twenty turns that failed, each with the code of the refusal
  errors json not null default '[]',
  -- of one that cancels: up to this turn those that have not begun are stopped, null where all are
  stops_after text,
  -- when a worker should be on it: the one that is moves it forward
  due_at timestamptz,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  constraint bulks_have_an_action check (action in ('cancel', 'retry', 'delete')),
  constraint open_bulks_are_due check ((completed_at is null) = (due_at is not null)),
  constraint completed_bulks_have_nothing_left check (done + failed <= matched
    and (completed_at is null or done + failed = matched))
);
comment on table bulks is 'A row is a bulk: one action on many turns, which workers do turn by turn.';
create index bulks_due on bulks (due_at) where due_at is not null;

-- A row is a turn of a bulk: one that matched when the bulk was asked for. Its outcome is null until it was treated, then done or the code
-- of the refusal; it goes once that is counted.
create table bulk_turns (
  bulk_id text not null,
  turn_id text not null,
  outcome text,
  primary key (bulk_id, turn_id)
);
comment on table bulk_turns is 'A row is a turn of a bulk that is left, or whose outcome is not counted yet.';
create index bulk_turns_settled on bulk_turns (bulk_id) where outcome is not null;

-- A row is a schedule: a plan, and the turn request that is started at each planned time. A plan is a cron expression by the clocks
-- of a time zone, or so many seconds, counted from a moment.
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
  -- when it fires next; null while it is disabled
  next_at timestamptz,
  -- rises with each change: what was read before one is no longer so
  revision integer not null default 0,
  created_at timestamptz not null,
  constraint schedules_have_a_plan check ((cron is null) = (every_seconds is not null) and (cron is null) = (time_zone is null)),
  constraint schedules_miss_as_named check (if_missed in ('once', 'skip'))
);
comment on table schedules is 'A row is a schedule: a plan, and the turn request that is started at each planned time.';
create index schedules_newest on schedules (project, id desc);
create index schedules_due on schedules (next_at) where next_at is not null;

-- A row is a firing: what came of a planned time of a schedule, a turn or an error. The last twenty of each are kept.
create table firings (
  schedule_id text not null references schedules on delete cascade,
  planned_at timestamptz not null,
  turn_id text,
  error json,
  primary key (schedule_id, planned_at),
  constraint firings_start_a_turn_or_say_why check ((turn_id is null) = (error is not null))
);
comment on table firings is 'A row is a firing: what came of a planned time of a schedule.';

-- A row is a search entry: what finds a turn or a conversation by its words, its model, its error or its metadata. That of a
-- turn is entered a moment after its end, and once before where it is active for long: until then the search looks at that row.
create table search_entries (
  id text primary key,
  -- when its turn had ended; null of an active turn and of a conversation. Another time than the turn's: the entry is old
  completed_at timestamptz,
  tokens tsvector not null
);
comment on table search_entries is 'A row is a search entry: what finds a turn or a conversation.';
create index search_entries_by_token on search_entries using gin (tokens) with (gin_pending_list_limit = 1024);

-- The row is the progress of the search: the turns that had ended, and the conversations that were made, up to these times have
-- their entries; of that very moment, all up to these ids. So have the turns that are active, up to an id.
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

-- What an entry has beside words: no word of a text begins with a sign.
create function search_token(kind text, value text) returns text immutable parallel safe language sql as $$
  select '=' || left(md5(kind || chr(1) || value), 16)
$$;

-- The first of it are the beginnings of its id, which say when it was made: to 32 years, one year, 12 days, 9 hours, 17 minutes,
-- 33 seconds and one. By these the search walks from the newest to the oldest. Each entry is made by this: plpgsql keeps its plans.
create function search_tokens(kind text, id text, project text, model text, metadata json, error_code text, status text)
returns tsvector immutable parallel safe language plpgsql as $$
declare
  made text := '=' || left(split_part(id, '_', 2), 8);
  pairs text[];
begin
  -- apart from the expression below: plpgsql evaluates an expression without a query directly
  if metadata::text <> '{}' then
    pairs := array(select search_token('metadata', key || chr(1) || value) from json_each_text(metadata));
  end if;
  return array_to_tsvector(
    array_remove(array[left(made, 3), left(made, 4), left(made, 5), left(made, 6), left(made, 7), left(made, 8), made,
      search_token(kind, project), search_token(kind || ' model', model), search_token('error_code', error_code),
      search_token('status', status)], null)
    || pairs);
end $$;

-- A text with more different words than an entry holds is found by those of its first half, or of the first quarter.
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

-- What finds a turn: the texts of its input, of what has joined it and of its output, beside the rest.
create function entry_of_turn(turn_id text, project text, model text, metadata json, error_code text, ended_as text, input json,
  joined text, output text)
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

-- The texts of what has joined a turn.
create function text_of_joined(joined_turn text) returns text stable parallel safe language sql as $$
  select string_agg(case json_typeof(item -> 'content') when 'string' then item ->> 'content' else text_of_parts(item -> 'content') end, ' ' order by number)
  from inputs, json_array_elements(content) as item where turn_id = joined_turn
$$;

-- A delete waits for entries that are being made: what these have read of a row before it went would stay.
create function forget_entries(forgotten text[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('pawl.search_entries'));
  delete from search_entries where id = any(forgotten);
end $$;

create function delete_entries_of_conversations() returns trigger language plpgsql as $$
begin
  perform forget_entries(array(select id from deleted));
  return null;
end $$;
create trigger conversations_take_along after delete on conversations referencing old table as deleted
  for each statement execute function delete_entries_of_conversations();

create function delete_entry_of_hidden_conversation() returns trigger language plpgsql as $$
begin
  perform forget_entries(array[new.id]);
  return null;
end $$;
create trigger conversations_leave_the_search after update of hidden_at on conversations for each row
  when (old.hidden_at is null and new.hidden_at is not null) execute function delete_entry_of_hidden_conversation();

-- A row is a request minute: how many requests of a project came since it began, refused ones too. It is written by each
-- request of a project with requests_per_minute; unlogged, so that none of them waits for the disk. After a crash of the
-- database the minute begins anew.
create unlogged table request_minutes (
  project text primary key,
  begun_at timestamptz not null,
  requests bigint not null
) with (fillfactor = 10);
comment on table request_minutes is 'A row is a request minute: how many requests of a project came since it began.';

-- A change of when a conversation expires has it looked at, and the look says when to look again (R32).
create function look_at_expiry() returns trigger language plpgsql as $$
begin
  new.expiry_due_at = case when new.config ->> 'expires_in_seconds' is not null then now() end;
  return new;
end $$;
create trigger conversations_expire_as_configured before update of config on conversations for each row
  when (new.config ->> 'expires_in_seconds' is distinct from old.config ->> 'expires_in_seconds')
  execute function look_at_expiry();

-- A row is a project that has as many turns at work as it may: its other turns wait for one of these.
create table full_projects (
  name text primary key
);
comment on table full_projects is 'A row is a project that has as many turns at work as it may.';

-- Gives places to turns that want one, up to the window and the quota of their project, and returns what is to be enqueued.
-- A project that shares do not name has the weight 1. Each statement sees what was committed before it, so places are counted as the
-- admission before this one has left them: one at a time, since two that count the same would hand a place out twice (R28).
create function admit_turns(shares json, own_places integer, is_shared boolean)
returns table (turn_id text, turn_step text, turn_generation integer, turn_provider text)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('pawl admission'));
  -- a wait that is over asks for a place (R27)
  update work set place = 'wanted', generation = generation + 1, due_at = coalesce(deadline_at, 'infinity')
  where id = any(array(
    select id from work
    where due_slot < now() and due_at < now() and place = 'none' and at_head and coalesce(deadline_at > now(), true)
    order by due_slot limit 1000 for no key update skip locked));
  return query
  with recursive share as materialized (
    select * from json_to_recordset(shares) as share (project text, weight double precision, most integer)
  ),
  places as materialized (
    select coalesce(nullif(sum(concurrency), 0), own_places) as number from workers
    where last_seen_at > now() - interval '10 seconds'
  ),
  wanting as (
    (select project, provider from work where place = 'wanted' order by project, provider limit 1)
    union all
    select next.project, next.provider from wanting cross join lateral (
      select work.project, work.provider from work
      where place = 'wanted' and (work.project, work.provider) > (wanting.project, wanting.provider)
      order by work.project, work.provider limit 1) as next
  ),
  busy as materialized (
    select project, provider, sum(held) as held, bool_or(wants) as wants from (
      select project, provider, count(*) as held, false as wants from work where place = 'held' group by project, provider
      union all select project, provider, 0, true from wanting
    ) as counted group by project, provider
  ),
  weighed as (
    select busy.*, number as places, share.most, coalesce(share.weight, 1) as weight, sum(held) over (partition by busy.project) as used
    from busy cross join places left join share on share.project = busy.project
  ),
  room as materialized (
    select project, provider, wants, most - used as quota, greatest(1, least(
        floor(places * weight / sum(weight) over (partition by provider)),
        case when is_shared then floor(places * 0.75) end)) - held as free
    from weighed
  ),
  candidate as materialized (
    select next.id, quota, row_number() over (partition by project order by next.is_new, next.priority desc, next.id) as nth
    from room cross join lateral (
      select id, priority, status = 'queued' and retry_at is null as is_new from work
      where place = 'wanted' and work.project = room.project and work.provider = room.provider
      order by status = 'queued' and retry_at is null, priority desc, id
      limit greatest(least(free, quota), 0)::integer for no key update skip locked) as next
    where wants and free > 0
  )
  update work set place = 'held', due_at = least(now() + interval '5 seconds', case when deadline_at > now() then deadline_at end)
  from candidate where work.id = candidate.id and coalesce(nth <= quota, true)
  returning work.id, work.step, work.generation, work.provider;
  with filled as materialized (
    select share.project from json_to_recordset(shares) as share (project text, most integer)
    join (select project, count(*) as number from work where place = 'held' group by project) as held on held.project = share.project
    where most <= number and exists (select from work where place = 'wanted' and work.project = share.project)
  ),
  emptied as (delete from full_projects where name not in (select project from filled))
  insert into full_projects select project from filled on conflict do nothing;
end $$;
