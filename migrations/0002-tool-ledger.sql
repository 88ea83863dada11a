-- What the ledger of tool calls tells afterwards, and what all workers have to know of tools together.

alter table tool_calls
  add column claimed_at timestamptz,
  add column completed_at timestamptz,
  add column cache_key text;
create index tool_calls_reusable on tool_calls (cache_key, completed_at desc) where cache_key is not null;

create table tool_rates (
  project text not null,
  tool text not null,
  max integer not null,
  per_seconds integer not null,
  starts timestamptz[] not null default '{}',
  primary key (project, tool, max, per_seconds)
);
