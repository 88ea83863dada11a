import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { Turn } from '../turn/turn.ts';
import { enterTurn } from './search/enter-turns.ts';
import { fittingRows, type Page, pageOfRows } from './sql/page.ts';
import { isVisible } from './sql/visible.ts';
import type { Db } from './tables.ts';
import { bytesOfRequest, bytesOfRounds } from './turns/reading/bytes.ts';
import { selectWhole, type TurnAsRead, toTurn } from './turns/reading/select.ts';

/**
 * Stores the hashes of messages with their answers, so that later requests can continue the completions. The caller
 * stores a hash before a client sees the answer, so each request with that answer finds it. The first hash stays.
 */
export async function saveAnswerHashes(db: Db, answers: { turnId: string; hash: string }[]): Promise<void> {
  if (answers.length === 0) return;
  const statement = sql`update completions set hash = answer.hash
    from json_to_recordset(${JSON.stringify(answers)}::text::json) as answer ("turnId" text, hash text)
    where turn_id = answer."turnId" and completions.hash is null`;
  await write(db, statement);
}

export async function setTurnMetadata(db: Db, turnId: string, metadata: Record<string, string>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`update turns set metadata = ${metadata}::json where id = ${turnId} and ${isVisible}`.execute(trx);
    await enterTurn(trx, turnId);
  });
}

/** A page of a project's listed completions: after an id, in an order, with a model and with metadata. */
export type CompletionPage = {
  after?: string;
  order: 'asc' | 'desc';
  limit: number;
  model?: string;
  metadata?: Record<string, string>;
};

/** Reads a page of the completions that were created with `store: true`, as whole turns. */
export async function listCompletions(db: Db, project: string, page: CompletionPage): Promise<Page<Turn>> {
  const { after, order, limit, model, metadata = {} } = page;
  const direction = sql.raw(order);
  const conditions = [
    ...(after === undefined ? [] : [sql`turn_id ${order === 'asc' ? sql`>` : sql`<`} ${after}`]),
    ...(model === undefined ? [] : [sql`${model} in (config ->> 'model', config -> 'response' ->> 'model')`]),
    ...Object.entries(metadata).map(([key, value]) => sql`metadata ->> ${key} = ${value}`),
  ];
  const rows = sql`from completions join turn_states as turns on turns.id = turn_id
    where completions.project = ${project} and listed and ${isVisible} ${sql.join(
      conditions.map((condition) => sql`and ${condition}`),
      sql` `,
    )}`;
  const bytes = sql`${bytesOfRequest} + ${bytesOfRounds}`;
  const query = sql<TurnAsRead & { found: number }>`
    with page as materialized (${fittingRows({ rows, key: sql`turn_id`, direction: order, limit, bytes })})
    select ${selectWhole}, found::int from page join turn_states as turns using (id) order by id ${direction}`;
  const found = await read(db, query);
  const { rows: shown, hasMore } = pageOfRows(found);
  return { rows: shown.map((row) => toTurn(row)), hasMore };
}

export async function isListed(db: Db, project: string, turnId: string): Promise<boolean> {
  const query = sql`select from completions join turns on turns.id = turn_id
    where turn_id = ${turnId} and completions.project = ${project} and listed and ${isVisible}`;
  const rows = await read(db, query);
  return rows.length > 0;
}
