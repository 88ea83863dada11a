-- The workers that are alive. Each says so every few seconds; one that has not for longer is taken away by the next that does.

create table workers (
  id text primary key,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  concurrency integer not null check (concurrency > 0)
) with (fillfactor = 50);
