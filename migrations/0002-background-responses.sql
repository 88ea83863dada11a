-- Background responses: a round waits for responses that its provider keeps, and they are deleted there afterwards.

-- The responses that the round waits for, null for nearly all: {step, model, responses, inputs, at, polls}. They count
-- only while the step and the model are the current ones, so no other write has to remove them.
alter table work add column background jsonb;

-- A row is a response that a provider keeps. It outlives its turn until the response is deleted at the provider, so
-- it has no text.
create table background_responses (
  provider text not null,
  id text not null,
  turn_id text not null,
  project text not null,
  key_id text,
  -- the round's step and model (provider/model)
  step text not null,
  model text not null,
  -- open: its usage is not counted yet. used: a round counts it. settled: its usage is counted as late usage
  state text not null default 'open',
  created_at timestamptz not null default now(),
  -- the time from which no round waits for the response
  closed_at timestamptz,
  due_at timestamptz not null default now(),
  primary key (provider, id),
  constraint background_responses_are_open_used_or_settled check (state in ('open', 'used', 'settled'))
);
create index background_responses_due on background_responses (due_at);

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
  work.background
from turns left join work on work.id = turns.id;
