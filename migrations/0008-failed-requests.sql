-- Requests to the model that brought no reply; those that did are counted with their rounds.

alter table turns add column failed_requests integer not null default 0;
