-- The additions of a provider to the text of a reply, as {calls, annotations, images}: calls of its own tools,
-- citations and images. Null for nearly all rounds.
alter table rounds add column hosted json;
