-- Agents: configurations with a name and versions.

-- A row is an agent. A deleted agent stays for two days, and as long as turns with its name
-- exist.
create table agents (
  id text primary key,
  project text not null,
  name text not null,
  -- the current version
  version integer not null default 1,
  -- {"production": {"version": 7}}, or {"production": {"versions": {"7": 90, "8": 10}}} with weights
  labels json not null default '{}',
  metadata json not null default '{}',
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table agents is 'A row is an agent.';
create unique index agents_by_name on agents (project, name) where deleted_at is null;
create index agents_by_id on agents (project, id) where deleted_at is null;
create index agents_deleted on agents (deleted_at) where deleted_at is not null;

-- A row is a version of an agent. It never changes.
create table agent_versions (
  agent_id text not null references agents on delete cascade,
  version integer not null,
  -- the fields that were given. Turns get the defaults of the others
  config json not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, version)
);
comment on table agent_versions is 'A row is a version of an agent.';

-- The agent and version of a turn, as in support@7. Null without an agent.
alter table turns add column if not exists agent text;
alter table work add column agent text;
create index if not exists turns_by_agent_version on turns (project, agent, id) where agent is not null;
create index if not exists turns_by_agent on turns (project, split_part(agent, '@', 1), id) where agent is not null;

-- A row is a turn in its current state: from its work while it is active, and from its end afterwards.
create or replace view turn_states as
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
  work.tier_wait, work.slot, coalesce(work.debounced, false) as debounced,
  work.background, turns.agent
from turns left join work on work.id = turns.id;

-- Usage of turns with an agent. usage_sums has their usage, too, so that a process of the release before counts it.
alter table usage_records add column agent text;
create table agent_usage_sums (
  like usage_sums,
  agent text not null,
  primary key (project, at, model, key_id, agent)
);
comment on table agent_usage_sums is 'A row is a usage sum of a version of an agent.';
create index agent_usage_sums_of_quarters on agent_usage_sums (at) where at <> date_bin('1 day', at, 'epoch');
