-- A step that is to be tried again later is not tried before, whatever clock the queue went by. And a conversation counts
-- the turns that were reopened, like those that were added, so that whoever ends one can tell that nothing came meanwhile.

alter table turns add column retry_at timestamptz;
alter table conversations add column reopened integer not null default 0;
