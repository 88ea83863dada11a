-- What a turn waits for, and since when. `rate_limited` says that `retry_at` comes from a rate limit; a null `waits_since` means
-- since it was created. Rate limits are kept by model, so that the turns that wait for one are found by a column.

alter table turns
  add column waits_since timestamptz,
  add column rate_limited boolean not null default false,
  add column model text not null generated always as (config ->> 'model') stored;
