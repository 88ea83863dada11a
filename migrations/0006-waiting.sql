-- What a turn waits for, and since when. `rate_limited` says that `retry_at` comes from a rate limit; a null `waits_since` means
-- since the turn was created. Rate limits are kept by model, so that the turns that wait for one are found by a column; a turn
-- from before has none, and is postponed by itself when it comes to be worked.

alter table turns
  add column waits_since timestamptz,
  add column rate_limited boolean not null default false,
  add column model text;
