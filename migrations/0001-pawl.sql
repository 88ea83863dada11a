-- Pawl's tables, in the order of one turn's life. Every CHECK is a promise that the code relies on.
-- The runner splits this file where a line ends in a semicolon: no line of a comment or a function body may end so.

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
  -- no caller finds it any more; one that a response began goes with its last turn
  hidden_at timestamptz,
  outlives_turns boolean not null default true,
  -- when to look for what of it can be erased; null where nothing has changed since it was last looked at
  erase_due_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table conversations is 'A row is a conversation: the turns that one caller keeps together.';
create index conversations_newest on conversations (project, id desc);
create index conversations_forked on conversations (forked_from) where forked_from is not null;
create index conversations_erase_due on conversations (erase_due_at) where erase_due_at is not null;

-- The promises of a turn, in one function. Postgres reads each CHECK anew for every statement that writes the table,
-- which was half of the cost of a checkpoint. It keeps the body of a plpgsql function, so the promises cost a third.
create function turn_is_sound(
  status text, step text, open_calls integer, waiting_calls integer, at_head boolean, lease_owner text,
  lease_until timestamptz, due_at timestamptz, completed_at timestamptz, output text, error json, incomplete_reason text
) returns boolean immutable parallel safe language plpgsql as $$ begin
  return status in ('queued', 'in_progress', 'requires_action', 'completed', 'incomplete', 'failed', 'cancelled')
    and (step ~ '^[rb][1-9][0-9]*$' or step = 'b0')
    -- active turns are due
    and (status in ('queued', 'in_progress', 'requires_action')) = (due_at is not null)
    -- ended turns say when they ended, have no lease and leave the head of their conversation
    and (due_at is null) = (completed_at is not null)
    and (due_at is not null or (lease_owner is null and not at_head))
    -- failed and incomplete turns say why, completed turns answer
    and (status = 'failed') = (error is not null)
    and (status = 'incomplete') = (incomplete_reason is not null)
    and (status <> 'completed' or output is not null)
    -- leases have an end
    and (lease_owner is null) = (lease_until is null)
    -- only batches have open calls
    and waiting_calls between 0 and open_calls
    and (open_calls = 0 or step like 'b%')
    -- turns that require action have open calls, and each of these waits
    and (status <> 'requires_action' or (open_calls > 0 and open_calls = waiting_calls))
; end $$;

-- A row is a turn: one user message and all work until its answer. Its columns say what it needs next and when.
-- Items that were added to a conversation are a row that is completed from the start and was never started.
create table turns (
  id text primary key,
  project text not null,
  conversation_id text not null references conversations on delete cascade,
  position integer not null,
  -- what the client asks for: it never changes
  priority integer not null,
  config json not null,
  input json not null,
  metadata json not null,
  -- the state: the step is a round (r1, r2) or the tool batch of a round (b1, b2), first of all that of adopted calls (b0)
  status text not null default 'queued',
  step text not null default 'r1',
  at_head boolean not null,
  open_calls integer not null default 0,
  waiting_calls integer not null default 0,
  last_event integer not null default 0,
  -- the model that is asked now, and its provider: the one asked for until that cannot answer
  provider text not null,
  model text,
  -- the wake-up: a rescue enqueues the turn again once due_at has passed, under the next generation. What is indexed is
  -- due_at rounded down: a change within its four seconds touches no index (a HOT update)
  due_at timestamptz,
  due_slot timestamptz generated always as (date_bin('4 seconds', due_at, 'epoch')) stored,
  deadline_at timestamptz,
  generation integer not null default 0,
  rescues integer not null default 0,
  -- the lease: one run's right to the step, for a time; starts count the runs that took it and may have died
  lease_owner text,
  lease_until timestamptz,
  starts integer not null default 0,
  -- the edition of the round that the next run of the step writes
  edition integer not null default 0,
  -- the wait: rate_limited says where retry_at comes from, a null waiting_since means since created_at
  attempts integer not null default 0,
  retry_at timestamptz,
  rate_limited boolean not null default false,
  waiting_since timestamptz,
  waited_ms integer not null default 0,
  -- the outcome: failed requests brought no reply, those that brought one are counted in their rounds
  output text,
  error json,
  incomplete_reason text,
  warnings json not null default '[]',
  failed_requests integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  -- who may see it: no caller finds a hidden turn, and nothing stands on one that is not stored
  stored boolean not null default true,
  hidden_at timestamptz,
  -- of a hidden turn that no other of its conversation stands on: the last position whose history it was in
  history_until integer,
  -- ids of its items that were deleted from the conversation; null for nearly all
  deleted_items json,
  -- the last of its rounds before which the history was compacted; null for nearly all
  compacted_before integer,
  unique (conversation_id, position),
  constraint turns_are_sound check (turn_is_sound(status, step, open_calls, waiting_calls, at_head, lease_owner,
    lease_until, due_at, completed_at, output, error, incomplete_reason))
) with (fillfactor = 60);
comment on table turns is 'A row is a turn: one user message and all work until its answer.';
create unique index turns_one_head_per_conversation on turns (conversation_id) where at_head;
create index turns_due on turns (due_slot) where due_slot is not null;
create index turns_newest on turns (project, id desc);
create index turns_newest_by_status on turns (project, status, id desc);
create index turns_erasable on turns (conversation_id, position) where history_until is not null or not stored;

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
  started_at timestamptz not null,
  completed_at timestamptz not null default now(),
  primary key (turn_id, number),
  constraint rounds_are_numbered_from_one check (number > 0)
);
comment on table rounds is 'A row is a round: one request to the model with its reply.';

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

-- The promises of a tool call, in one function for the same reason as those of a turn.
create function call_is_sound(effect text, waits_for text)
returns boolean immutable parallel safe language plpgsql as $$ begin
  return effect in ('none', 'idempotent', 'at_most_once')
    and (waits_for is null or waits_for in ('output', 'approval'))
; end $$;

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
  constraint calls_are_sound check (call_is_sound(effect, waits_for))
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

-- A blob goes with the last turn that refers to it. Its row is locked first, in one order for all, and only then are its
-- references counted: one that another transaction is about to add waits for this lock, or this lock waits for it.
create function release_blobs(released text[]) returns void language plpgsql as $$ declare projects text[]; hashes text[]
; begin
  select array_agg(project), array_agg(sha256) into projects, hashes from (
    select project, sha256 from blobs
    where (project, sha256) in (select project, sha256 from blob_references where turn_id = any(released))
    order by project, sha256 for update) as held
; delete from blob_references where turn_id = any(released)
; delete from blobs using unnest(projects, hashes) as held (project, sha256)
  where blobs.project = held.project and blobs.sha256 = held.sha256 and not exists (
    select from blob_references as other where other.project = held.project and other.sha256 = held.sha256)
; end $$;

-- Rounds, calls and events are written by statements that hold the row of their turn, so no foreign key watches over each of
-- these rows: twenty-three checks for a turn of four rounds. When turns go, what hangs on them goes with them.
create function delete_what_hangs_on_turns() returns trigger language plpgsql as $$ begin
  delete from events where turn_id in (select id from deleted)
; delete from tool_calls where turn_id in (select id from deleted)
; delete from rounds where turn_id in (select id from deleted)
; delete from compactions where turn_id in (select id from deleted where compacted_before is not null)
; if exists (select from blob_references where turn_id in (select id from deleted)) then
    perform release_blobs(array(select id from deleted)) ; end if
; return null
; end $$;
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
  with_turn boolean not null,
  -- the state, with the last answer
  status text not null default 'pending',
  attempts integer not null default 0,
  last_status_code integer,
  last_error text,
  -- the wake-up and the lease, as a turn has them
  next_attempt_at timestamptz,
  due_at timestamptz,
  generation integer not null default 0,
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
create index deliveries_due on deliveries (due_at) where due_at is not null;
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

-- A row is an idempotency key: one creating request, with the hash of its body and what it made.
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

-- A row is a worker that is alive. It says so every few seconds, and removes workers that stopped saying so.
create table workers (
  id text primary key,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  concurrency integer not null,
  constraint workers_run_at_least_one_step check (concurrency > 0)
) with (fillfactor = 50);
comment on table workers is 'A row is a worker that is alive.';
