-- Webhook endpoints that stand for a whole project, and what receivers answered.

create table webhook_endpoints (
  id text primary key,
  project text not null,
  url text not null,
  description text,
  events jsonb not null,
  with_turn boolean not null,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  failing_since timestamptz,
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  created_at timestamptz not null default now(),
  constraint disabled_endpoints_say_why check ((status = 'disabled') = (disabled_reason is not null)),
  constraint old_secrets_have_an_end check ((old_secret is null) = (old_secret_until is null))
);
create index webhook_endpoints_newest on webhook_endpoints (project, id desc);
create index webhook_endpoints_enabled on webhook_endpoints (project) where status = 'enabled';

-- A delivery belongs to a turn's own webhook or to an endpoint, and tells an event of its turn or one of its own. An
-- endpoint may be deleted; what it was told stays.
alter table deliveries
  add column endpoint_id text,
  add column event json,
  alter column turn_id drop not null,
  alter column event_number drop not null,
  add constraint deliveries_tell_one_event check (num_nonnulls(event_number, event) = 1
    and (turn_id is null) = (event_number is null)),
  add constraint only_endpoints_hear_of_more_than_turns check (turn_id is not null or endpoint_id is not null);
create index deliveries_by_endpoint on deliveries (endpoint_id, id desc) where endpoint_id is not null;
create index deliveries_pending_by_turn on deliveries (turn_id, id) where due_at is not null;

create table delivery_attempts (
  delivery_id text not null references deliveries on delete cascade,
  at timestamptz not null default now(),
  attempt integer not null,
  status_code integer,
  body text,
  error text,
  duration_ms integer not null,
  primary key (delivery_id, at)
);
