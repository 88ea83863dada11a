-- Batches: rounds are asked through the batch API of their provider, and wait for its results.

-- A row is a batch: requests of one account and one model, sent to a provider together. It exists before it is sent,
-- and until the provider has deleted the batch. The provider keeps its id with the batch, if it keeps such keys.
create table batches (
  id text primary key,
  provider text not null,
  -- a hash of the provider's address and key
  account text not null,
  -- provider/model, and the wire of its requests
  model text not null,
  wire text not null,
  -- false: only its results can identify a batch of this provider, so an account has one batch without an answer
  keeps_key boolean not null,
  -- open: it is not sent, or was refused. asked: it may exist at the provider. sent: the provider works on it.
  -- collected: all answers are stored, and the batch is to be deleted at the provider
  state text not null default 'open',
  provider_id text,
  files json not null default '[]',
  -- the number of requests that were sent
  requests integer,
  -- the work on it: its owner has it until due_at. Without an owner, due_at is the next look
  owner text,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  asked_at timestamptz,
  sent_at timestamptz,
  cancelled_at timestamptz,
  ended_at timestamptz,
  -- how often and since when the provider has refused it, with the last code
  refusals integer not null default 0,
  refused_since timestamptz,
  refusal_code text,
  -- the looks since it was sent, and the reads of its results that were cut
  polls integer not null default 0,
  lost_reads integer not null default 0,
  constraint batches_are_open_asked_sent_or_collected check (state in ('open', 'asked', 'sent', 'collected')),
  constraint asked_batches_say_when check ((state = 'open') = (asked_at is null)),
  constraint asked_batches_have_requests check (state = 'open' or requests > 0),
  constraint sent_batches_have_an_id check ((state in ('sent', 'collected')) = (provider_id is not null))
);
comment on table batches is 'A row is a batch: requests of one account and one model, sent together.';
create index batches_due on batches (due_at);
create index batches_by_account on batches (account) where state in ('open', 'asked');

-- A row is a request of a round in a batch. It outlives its turn until its usage is counted, so it has no text.
create table batch_requests (
  id text primary key,
  turn_id text not null,
  project text not null,
  key_id text,
  -- the round's step and model (provider/model)
  step text not null,
  model text not null,
  provider text not null,
  wire text not null,
  -- waiting: it is not sent. sent: it may be at the provider. answered: its answer is stored. A round that uses the
  -- answer removes the row
  state text not null default 'waiting',
  -- null until it is in a batch
  batch_id text,
  entered_at timestamptz not null default now(),
  -- of its answer: the usage, the same as figures of usage_records, and the bytes
  usage json,
  used numeric[],
  bytes integer,
  constraint batch_requests_are_waiting_sent_or_answered check (state in ('waiting', 'sent', 'answered')),
  constraint sent_requests_have_a_batch check (state = 'waiting' or batch_id is not null)
);
comment on table batch_requests is 'A row is a request of a round in a batch.';
create index batch_requests_waiting on batch_requests (provider, model, wire, entered_at, id)
  where batch_id is null;
create index batch_requests_by_age on batch_requests (entered_at) where batch_id is null;
create index batch_requests_by_batch on batch_requests (batch_id, state, id) where batch_id is not null;
create index batch_requests_answered on batch_requests (id) where state = 'answered';
create index batch_requests_by_turn on batch_requests (turn_id);

-- A row is the answer to a request of a batch, until its round uses it. It is content of its turn.
create table batch_answers (
  request_id text primary key references batch_requests on delete cascade,
  turn_id text not null,
  answer json not null
);
comment on table batch_answers is 'A row is the answer to a request of a batch, until its round uses it.';
create index batch_answers_by_turn on batch_answers (turn_id);

-- Deletes the rows of deleted turns, and now the answers of batches.
create or replace function delete_dependants_of_turns() returns trigger language plpgsql as $$
begin
  delete from work where id in (select id from deleted where completed_at is null);
  delete from events where turn_id in (select id from deleted);
  delete from tool_calls where turn_id in (select id from deleted);
  delete from rounds where turn_id in (select id from deleted);
  delete from compactions
  where turn_id in (select id from deleted where compacted_before is not null or completed_at is null);
  delete from inputs where turn_id in (select id from deleted where deleted.inputs > 0 or completed_at is null);
  delete from completions where turn_id in (select id from deleted);
  delete from batch_answers where turn_id in (select id from deleted);
  if exists (select from blob_references where turn_id in (select id from deleted)) then
    perform release_blobs(array(select id from deleted));
  end if;
  perform delete_entries(array(select id from deleted));
  return null;
end $$;
