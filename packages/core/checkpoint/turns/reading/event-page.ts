import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import { isTerminalEvent, type StoredEvent } from '../../../turn/event.ts';
import type { JoinedInput, Turn } from '../../../turn/turn.ts';
import { fittingRows } from '../../sql/page.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { bytesOfRound } from './bytes.ts';
import { loadTurn } from './find.ts';
import { NO_CONFIG, outlineWith } from './outline.ts';
import { shownCall, type TurnAsRead, type TurnScope, toTurn } from './select.ts';

/** A page of a turn's durable events, with the parts of the turn that these events show. */
export type EventPage = { turn: Turn; events: StoredEvent[] };

type Asked = { scope?: TurnScope; after: number; limit: number };

/**
 * Reads a page of durable events after a number, with the rounds, calls and inputs that these events refer to, in one
 * statement. If an event of the page ended the turn, the turn is whole, since that event shows it. A page has `limit`
 * events or about 4 MiB. Returns undefined if the turn does not exist.
 */
export async function readEventPage(
  db: Db,
  id: string,
  { scope = 'any', after, limit }: Asked,
): Promise<EventPage | undefined> {
  const isFound =
    scope === 'any' ? sql`true` : sql`project = ${scope.project} and ${isVisible} and not ${isAddedItems}`;
  const query = sql<PageAsRead>`
    with ${pageOf(id, { after, limit })}
    select ${outlineWith({ config: NO_CONFIG, rounds, calls, joined, compactions: sql`null::json` })}, ${events} as events
    from turn_states as turns where id = ${id} and ${isFound}`;
  const [row] = await read(db, query);
  if (!row) return undefined;
  const { events: found, ...outline } = row;
  const page = { turn: toTurn({ ...outline, joined: inPlace(row.joined ?? []) }), events: found ?? [] };
  if (!page.events.some(({ type }) => isTerminalEvent(type))) return page;
  const turn = await loadTurn(db, id);
  return turn && { ...page, turn };
}

type NumberedInput = JoinedInput & { number: number };
type PageAsRead = Omit<TurnAsRead, 'joined'> & { joined: NumberedInput[] | null; events: StoredEvent[] | null };

/** Places inputs at the index of their number. The array has holes for inputs that the page does not show. */
function inPlace(inputs: NumberedInput[]): JoinedInput[] {
  const joined: JoinedInput[] = [];
  for (const { number, ...input } of inputs) joined[number - 1] = input;
  return joined;
}

/** Selects the rows of a page, and the numbers of the rounds that it shows. */
function pageOf(id: string, { after, limit }: { after: number; limit: number }) {
  const rows = sql`from (
    select number as id, ${bytesOfEvent} as size from events where turn_id = ${id} and number > ${after}
    order by number limit ${limit + 1}) as event`;
  return sql`fitting as materialized (
      ${fittingRows({ rows, key: sql`id`, direction: 'asc', limit, bytes: sql`size` })}),
    page as materialized (
      select events.* from fitting join events on events.turn_id = ${id} and events.number = fitting.id),
    shown as materialized (select distinct round as number from page where type = 'round.completed')`;
}

/** The bytes of a row of `events`, with the rows that it refers to. */
const bytesOfEvent = sql`500 + coalesce(octet_length(data::text), 0) + case type
  when 'round.completed' then coalesce((select ${bytesOfRound} from rounds
      where rounds.turn_id = events.turn_id and rounds.number = events.round), 0)
    + coalesce((select sum(octet_length(arguments)) from tool_calls
      where tool_calls.turn_id = events.turn_id and tool_calls.round = events.round), 0)
  when 'tool_call.completed' then coalesce((select octet_length(result::text) from tool_calls
      where tool_calls.turn_id = events.turn_id and tool_calls.round = events.round and index = call_index), 0)
  else 0 end`;

const events = sql`(
  select json_agg(json_build_object('id', id, 'number', number, 'type', type, 'round', round, 'callIndex', call_index,
    'data', data, 'createdAt', created_at::text) order by number) from page)`;

const isShown = sql`number in (select number from shown)`;

/**
 * The rounds that the page shows. Two kinds of rounds have no text: rounds of calls that the page shows, and the
 * round before an answer that breaks its schema. That round decides whether the answer ended the turn.
 */
const rounds = sql`(
  select json_agg(json_build_object('number', number, 'text', case when ${isShown} then text end, 'finishReason', finish_reason,
    'usage', usage, 'attempts', attempts, 'violations', violations, 'inputsSent', 0) order by number)
  from rounds where turn_id = turns.id and number in (
    select number from shown
    union all
    select answer.number - 1 from rounds as answer join shown on answer.number = shown.number
    where answer.turn_id = turns.id and answer.violations is not null
    union all
    select round from page where call_index is not null or type = 'turn.requires_action'))`;

/** The calls that the page shows. Only the event of its answer shows the result of a call. */
const calls = sql`(
  select json_agg(shown order by shown.round, shown.index) from (
    select distinct on (round, index) tool_calls.*, "isAnswered" from (
      select round as "ofRound", call_index as "ofIndex", true as "isAnswered" from page where call_index is not null
      union
      select round, null, false from page where type in ('round.completed', 'turn.requires_action')) as named
    join tool_calls on turn_id = turns.id and round = "ofRound" and index = coalesce("ofIndex", index)
    order by round, index, "isAnswered" desc) as call, ${shownCall(sql`case when "isAnswered" then result end`)})`;

const joined = sql`(
  select json_agg(json_build_object('number', number, 'content', content, 'metadata', inputs.metadata) order by number)
  from inputs where turn_id = turns.id and number in (
    select (data ->> 'number')::int from page where type = 'input.added'))`;
