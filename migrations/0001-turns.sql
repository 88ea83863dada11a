-- Conversations, their turns and what each turn remembers. Every CHECK is a promise the code may lean on.

create table conversations (
  id text primary key,
  project text not null,
  config json not null,
  metadata json not null,
  turns integer not null default 0,
  created_at timestamptz not null default now()
);
create index conversations_newest on conversations (project, id desc);

create table turns (
  id text primary key,
  project text not null,
  conversation_id text not null references conversations on delete cascade,
  position integer not null,
  provider text not null,
  priority integer not null,
  config json not null,
  input json not null,
  metadata json not null,
  status text not null default 'queued' check (status in
    ('queued', 'in_progress', 'requires_action', 'completed', 'incomplete', 'failed', 'cancelled')),
  step text not null default 'r1' check (step ~ '^[rb][1-9][0-9]*$'),
  ring integer not null default 0,
  at_head boolean not null,
  open_calls integer not null default 0 check (open_calls >= 0),
  waiting_calls integer not null default 0 check (waiting_calls between 0 and open_calls),
  held_by text,
  held_until timestamptz,
  due_at timestamptz,
  deadline_at timestamptz,
  starts integer not null default 0,
  rescues integer not null default 0,
  attempts integer not null default 0,
  parked_ms integer not null default 0,
  last_event integer not null default 0,
  output text,
  error json,
  incomplete_reason text,
  warnings json not null default '[]',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  unique (conversation_id, position),
  constraint active_turns_are_due check ((status in ('queued', 'in_progress', 'requires_action')) = (due_at is not null)),
  constraint ended_turns_say_when check ((status in ('queued', 'in_progress', 'requires_action')) = (completed_at is null)),
  constraint ended_turns_are_free check (due_at is not null or (held_by is null and not at_head)),
  constraint failed_turns_say_why check ((status = 'failed') = (error is not null)),
  constraint incomplete_turns_say_why check ((status = 'incomplete') = (incomplete_reason is not null)),
  constraint completed_turns_answer check (status <> 'completed' or output is not null),
  constraint holds_have_an_end check ((held_by is null) = (held_until is null)),
  constraint parked_turns_wait check (status <> 'requires_action' or (open_calls > 0 and open_calls = waiting_calls)),
  constraint only_batches_have_open_calls check (open_calls = 0 or step like 'b%')
) with (fillfactor = 80);
create unique index turns_one_head_per_conversation on turns (conversation_id) where at_head;
create index turns_due on turns (due_at) where due_at is not null;
create index turns_newest on turns (project, id desc);
create index turns_newest_by_status on turns (project, status, id desc);

create table rounds (
  turn_id text not null references turns on delete cascade,
  number integer not null check (number > 0),
  text text,
  finish_reason text not null,
  finish_reason_raw text,
  usage json,
  opaque json,
  requests integer not null default 1,
  attempts integer not null,
  started_at timestamptz not null,
  completed_at timestamptz not null default now(),
  primary key (turn_id, number)
);

create table tool_calls (
  turn_id text not null,
  round integer not null,
  index integer not null,
  id text not null,
  name text not null,
  arguments text not null,
  effect text not null check (effect in ('none', 'idempotent', 'at_most_once')),
  waits_for text check (waits_for in ('output', 'approval')),
  expires_at timestamptz,
  approval json,
  claimed_by text,
  result json,
  full_output text,
  primary key (turn_id, round, index),
  foreign key (turn_id, round) references rounds on delete cascade
);
create unique index tool_calls_by_id on tool_calls (turn_id, id);

create table events (
  turn_id text not null references turns on delete cascade,
  number integer not null check (number > 0),
  id text not null,
  type text not null,
  round integer,
  call_index integer,
  data json,
  created_at timestamptz not null default now(),
  primary key (turn_id, number)
);

create table deliveries (
  id text primary key,
  project text not null,
  turn_id text not null,
  event_number integer not null,
  url text not null,
  with_turn boolean not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  ring integer not null default 0,
  last_status_code integer,
  last_error text,
  next_attempt_at timestamptz,
  due_at timestamptz,
  held_until timestamptz,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  foreign key (turn_id, event_number) references events on delete cascade,
  constraint pending_deliveries_are_due check ((status = 'pending') = (due_at is not null)),
  constraint delivered_deliveries_say_when check ((status = 'delivered') = (delivered_at is not null))
);
create index deliveries_due on deliveries (due_at) where due_at is not null;
create index deliveries_by_turn on deliveries (turn_id, id);

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
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table webhook_secrets (
  project text primary key,
  secret text not null,
  created_at timestamptz not null default now()
);
