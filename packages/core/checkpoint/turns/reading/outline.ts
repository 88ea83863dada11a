import { type RawBuilder, sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import {
  fillOutline,
  type LoadingPlan,
  type OutlinedTurn,
  type TurnBytes,
} from '../../../turn/compaction/plan-loading.ts';
import type { HistoryTurn } from '../../../turn/compaction/sent-history.ts';
import type { Turn } from '../../../turn/turn.ts';
import type { Db } from '../../tables.ts';
import { bytesOfRequest, bytesOfRound } from './bytes.ts';
import { historyOf, type ThreadTurnAsRead, toHistoryTurn } from './history.ts';
import {
  callsAfter,
  compactions,
  selectWhole,
  selectWithResult,
  shownCall,
  stateExceptOutput,
  type TurnAsRead,
  toTurn,
} from './select.ts';

/**
 * Returns the columns of a turn without the texts of its input and rounds, from its configuration and the other
 * columns.
 */
export const outlineWith = ({
  config,
  rounds,
  calls,
  joined,
  compactions,
}: Record<OutlineColumn, RawBuilder<unknown>>) => sql`
  project, conversation_id as "conversationId",
  '[]'::json as input, priority, '{}'::json as metadata, stored, created_at::text as "createdAt", null as "startAt",
  null as "scheduleId", null as continues, ${config} as config, ${stateExceptOutput}, null as output, ${calls} as calls, ${joined} as joined,
  ${compactions} as compactions, ${rounds} as rounds`;

type OutlineColumn = 'config' | 'rounds' | 'calls' | 'joined' | 'compactions';

export const NO_CONFIG = sql`'{"tools":[]}'::json`;

const outline = (config: RawBuilder<unknown>, calls: RawBuilder<unknown>) =>
  outlineWith({
    ...{ config, calls, joined: sql`null::json`, compactions },
    rounds: sql`(
  select json_agg(json_build_object('number', number, 'model', model, 'inputsSent', 0, 'usage', usage) order by number)
  from rounds where turn_id = turns.id)`,
  });

type OutlineAsRead = ThreadTurnAsRead & {
  requestBytes: number;
  roundBytes: { number: number; bytes: number }[] | null;
  callBytes: { round: number; bytes: number; results: number }[] | null;
};

// No JSON operator may read a result, since each operator fails at a NUL. Pawl writes the status first, then the
// content.
const begins = (text: string) => sql`starts_with(result::text, ${sql.lit(text)})`;
const CONTENT = '{"status":"success","content":';
const isShortenable = begins(`${CONTENT}"`);

const bytes = sql`${bytesOfRequest} + octet_length(config::text) as "requestBytes",
  (select json_agg(json_build_object('number', number, 'bytes', ${bytesOfRound})) from rounds where turn_id = turns.id) as "roundBytes",
  (select json_agg(json_build_object('round', round, 'bytes', bytes, 'results', results)) from (
    select round, sum(octet_length(arguments) + coalesce(octet_length(approval::text), 0) + 500
        + case when ${isShortenable} then 0 else coalesce(octet_length(result::text), 0) end) as bytes,
      sum(case when ${isShortenable} then octet_length(result::text) else 0 end) as results
    from tool_calls where turn_id = turns.id group by round) as batch) as "callBytes"`;

/** Reads the turns of a history without their texts, and the bytes of these texts. */
export async function outlineHistory(db: Db, conversationId: string, before?: number): Promise<OutlinedTurn[]> {
  const query = sql<OutlineAsRead>`
    ${historyOf(conversationId, before, bytes)}
    select ${outline(NO_CONFIG, sql`null::json`)}, deleted_items as "deletedItems", "upToRound", "requestBytes", "roundBytes", "callBytes"
    from history join turn_states as turns using (id) order by position`;
  const rows = await read(db, query);
  return rows.map(toOutlined);
}

/** A result without its text. The next step of its turn depends only on the existence of the result. */
const outlinedResult = sql`case when result is not null then json_build_object('content', '',
  'status', case when ${begins('{"status":"handed_over"')} then 'handed_over' when ${begins('{"status":"success"')} then 'success' else 'error' end,
  'error', null, 'truncated', true, 'cached', false, 'duration_ms', 0, 'attempts', 1) end`;
const outlinedCall = shownCall(outlinedResult, sql`case when result is null then arguments else '' end`);

/** Reads a turn without its texts. This is enough to decide its next step, and which parts can be loaded. */
export async function outlineTurn(db: Db, id: string): Promise<OutlinedTurn | undefined> {
  const query = sql<OutlineAsRead>`
    select ${outline(sql`config`, callsAfter(sql`-1`, outlinedCall))}, ${bytes}, null as "deletedItems" from turn_states as turns where id = ${id}`;
  const rows = await read(db, query);
  return rows.map(toOutlined)[0];
}

/** Loads an outlined turn. The results of its rounds up to a position are shortened. */
export async function loadShortened(
  db: Db,
  { id, position }: Pick<Turn, 'id' | 'position'>,
  upTo: { round: number; characters: number },
): Promise<Turn | undefined> {
  const result = resultUpTo({ position, ...upTo });
  const query = sql<TurnAsRead>`select ${selectWithResult(result)} from turn_states as turns where id = ${id}`;
  const rows = await read(db, query);
  return rows.map(toTurn)[0];
}

function toOutlined({ requestBytes, roundBytes, callBytes, ...row }: OutlineAsRead): OutlinedTurn {
  const rounds = sumRounds(roundBytes ?? [], callBytes ?? []);
  return { turn: toHistoryTurn(row), bytes: { request: Number(requestBytes), rounds } };
}

function sumRounds(
  rounds: NonNullable<OutlineAsRead['roundBytes']>,
  batches: NonNullable<OutlineAsRead['callBytes']>,
): TurnBytes['rounds'] {
  const adopted = batches.filter(({ round }) => round === 0).map(() => ({ number: 0, bytes: 0 }));
  return [...adopted, ...rounds].map(({ number, bytes }) => {
    const batch = batches.find(({ round }) => round === number);
    return { number, bytes: bytes + (batch?.bytes ?? 0), results: batch?.results ?? 0 };
  });
}

/** Loads the turns of a history that a plan names. The others stay outlined. */
export async function loadPlanned(
  db: Db,
  { conversationId, before, outline }: { conversationId: string; before?: number; outline: readonly OutlinedTurn[] },
  plan: LoadingPlan,
): Promise<HistoryTurn[]> {
  const position = (index: number) => outline[index]?.turn.position ?? 0;
  const { shortened } = plan;
  const upTo = shortened && { ...shortened, position: position(Math.min(shortened.index, outline.length - 1)) };
  const query = sql<ThreadTurnAsRead>`
    ${historyOf(conversationId, before, sql`null`)}
    select ${upTo ? selectWithResult(resultUpTo(upTo)) : selectWhole}, deleted_items as "deletedItems", "upToRound"
    from history join turn_states as turns using (id)
    where position between ${position(plan.first)}::int and ${position(Math.min(plan.last, outline.length - 1))}::int
    order by position`;
  const rows = await read(db, query);
  return fillOutline(outline, rows.map(toHistoryTurn));
}

type Shortened = { position: number; round: number; characters: number };

/**
 * Returns a call's result, or its beginning up to a position. The text is cut in its JSON form, without half an
 * escape. A content that ends before the cut belongs to a result with parts, which are left out.
 */
function resultUpTo({ position, round, characters }: Shortened) {
  const beginning = sql`substr(result::text, ${sql.lit(CONTENT.length + 1)}, ${characters}::int)`;
  const ended = sql`substring(${beginning} from ${sql.lit(WHOLE_TEXT)})`;
  const closed = sql`regexp_replace(${beginning}, ${sql.lit(HALF_ESCAPE)}, ${sql.lit('\\1')}) || '"'`;
  return sql`case when round > 0 and (turns.position, round) <= (${position}::int, ${round}::int) and ${isShortenable}
      and octet_length(result::text) > ${2 * characters + 200}::int
    then json_build_object('status', 'success', 'error', null, 'truncated', true, 'cached', false, 'duration_ms', 0, 'attempts', 1,
      'parts', case when ${ended} is not null then '[]'::json end, 'content', coalesce(${ended}, ${closed})::json)
    else result end`;
}

/** A text in JSON, from its first quote to its last. */
const WHOLE_TEXT = String.raw`^("(?:[^"\\]|\\.)*")`;

/** The beginning of an escape at the end of a cut text, after an even number of backslashes. */
const HALF_ESCAPE = String.raw`((?:^|[^\\])(?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$`;
