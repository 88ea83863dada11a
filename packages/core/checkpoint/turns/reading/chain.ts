import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { Chain, ChainedTurn } from '../../../turn/resource/chain.ts';
import type { Turn } from '../../../turn/turn.ts';
import { isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { isHistory, threadBefore, turnsOfThread } from './history.ts';

/** The maximum of forks to read, and of turns that continue this turn by their messages. The newest are read. */
const MAX_FORKS = 50;

type Link = { link: 'previous' | 'next' | 'fork' | 'continuing'; forkCount: number };

/**
 * Reads the chain of a turn:
 * - the turn that callers see before it in its history, or that it continues by its messages
 * - the turn after it in its conversation
 * - the first turns of its forks, and the turns that continue it
 */
export async function readChain(
  db: Db,
  turn: Pick<Turn, 'id' | 'conversationId' | 'position' | 'continues'>,
): Promise<Chain> {
  const { id, conversationId, position, continues } = turn;
  const query = sql<ChainedTurn & Link>`
    with recursive ${threadBefore(conversationId, sql`${position}::int`)},
    forks as (
      select distinct on (conversation_id) turns.id from conversations join turns on conversation_id = conversations.id
      where forked_from = ${id} and ${isVisible} order by conversation_id desc, position
    ),
    links (id, link) as (
      (select turns.id, 'previous' from ${turnsOfThread} where ${isHistory} and ${isVisible} order by position desc limit 1)
      union all
      (select id, 'previous' from turns where id = ${continues} and ${isVisible})
      union all
      (select turns.id, 'next' from turns
        where conversation_id = ${conversationId} and position > ${position} and ${isVisible} order by position limit 1)
      union all
      (select id, 'fork' from forks order by id desc limit ${MAX_FORKS})
      union all
      (select id, 'continuing' from turns where continues = ${id} and ${isVisible} order by id desc limit ${MAX_FORKS})
    )
    select id, link, conversation_id as "conversationId", status, config -> 'response' ->> 'background' is not null as "isResponse",
      ${preview} as preview, created_at::text as "createdAt", (select count(*)::int from forks) as "forkCount"
    from links join turn_states as turns using (id) order by id desc`;
  const rows = await read(db, query);
  const linked = (as: Link['link']) => rows.filter(({ link }) => link === as);
  return {
    previous: linked('previous')[0] ?? null,
    next: linked('next')[0] ?? null,
    forks: linked('fork'),
    forkCount: rows[0]?.forkCount ?? 0,
    continuedBy: linked('continuing'),
  };
}

/** The beginning of the user's last message, which has a text or parts. Null if there is no such message. */
const preview = sql<string | null>`(
  select left(case json_typeof(item -> 'content') when 'string' then item ->> 'content' else (
      select string_agg(part ->> 'text', ' ') from json_array_elements(item -> 'content') as part) end, 160)
  from json_array_elements(input) with ordinality as items (item, place)
  where item ->> 'role' = 'user' order by place desc limit 1)`;
