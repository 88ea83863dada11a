import { type RawBuilder, sql } from 'kysely';
import { firstIdAt } from '../../id.ts';
import { read } from '../../postgres/read-write.ts';
import { isTerminal, type TerminalStatus } from '../../turn/turn.ts';
import { listed } from '../sql/listed.ts';
import type { Db } from '../tables.ts';
import { relationOf, splitByStatus } from './active-turns.ts';
import { notEntered, queryOf, readProgress } from './search-query.ts';
import {
  fitsTokens,
  lookedAt,
  MOST_SKEW_MS,
  needsEntries,
  plainCondition,
  ranWith,
  type TurnFilter,
} from './turn-filter.ts';
import { windowsBefore } from './windows.ts';

/** A page of the turns that fit: the newest `limit` turns below the id `before`. */
export type FoundPage = TurnFilter & { before?: string; limit: number };

/**
 * Finds the ids of turns that fit a filter, newest first. The cost depends on the limit, not on the number of turns.
 */
export async function findTurnIds(db: Db, project: string, page: FoundPage): Promise<string[]> {
  const { statuses, limit } = page;
  if (!needsEntries(page)) return readIds(db, newestTurns(project, page));
  const ofAgent = await idsOfAgent(db, project, page);
  if (ofAgent) return findAmong(db, project, { ...page, ids: ofAgent });
  if (!statuses) return walk(db, project, page);
  const ended = statuses.filter((status): status is TerminalStatus => isTerminal(status));
  const active = statuses.filter((status) => !isTerminal(status));
  // Active turns first: if a turn ends in between, at least one of the two reads finds it.
  const atWork = active.length > 0 ? await findActive(db, project, { ...page, statuses: active }) : [];
  const over = ended.length > 0 ? await walk(db, project, { ...page, statuses: ended, endedAs: ended }) : [];
  return newestFirst([...new Set([...atWork, ...over])]).slice(0, limit);
}

/** The maximum number of an agent's turns that are examined individually. With more turns, entries are walked. */
const MOST_OF_AGENT = 1_000;

/** Returns the ids of all turns of the agent of a filter. Null if they are many, or without an agent. */
async function idsOfAgent(db: Db, project: string, { agent }: TurnFilter): Promise<string[] | null> {
  if (agent === undefined) return null;
  const ids = await readIds(
    db,
    sql`select id from turns where project = ${project} ${ranWith(agent)} limit ${MOST_OF_AGENT + 1}`,
  );
  return ids.length > MOST_OF_AGENT ? null : ids;
}

/** Finds the newest of these turns that fit. */
function findAmong(db: Db, project: string, { ids, ...page }: FoundPage & { ids: string[] }): Promise<string[]> {
  const query = sql`select turns.id from ${relationOf(page)}
    where turns.id in (${listed(ids)}) and ${lookedAt(project, page)} ${behind(page)}
    order by turns.id desc limit ${page.limit}`;
  return readIds(db, query);
}

/** Returns a query for the ids of the newest turns that fit. For each status, an index has the turns in that order. */
export function newestTurns(project: string, page: FoundPage, condition = lookedAt): RawBuilder<unknown> {
  const { before, limit, ...filter } = page;
  const selects = splitByStatus(filter).map(
    ({ from, part }) => sql`
      (select turns.id from ${from} where ${condition(project, part)} ${behind(page)} order by turns.id desc limit ${limit})`,
  );
  return sql`select id from (${sql.join(selects, sql` union all `)}) as newest order by id desc limit ${limit}`;
}

/** Counts the turns that fit a filter, up to `most`. */
export async function countMatchingTurns(
  db: Db,
  project: string,
  { most, ...filter }: TurnFilter & { most: number },
): Promise<number> {
  return (await findTurnIds(db, project, { ...filter, limit: most })).length;
}

/** The maximum number of active turns that are examined individually. With more turns, their entries are walked. */
const MOST_ACTIVE = 1_000;

/** Finds active turns. They are few, and no entry says that its turn is active. */
async function findActive(db: Db, project: string, page: FoundPage): Promise<string[]> {
  const active = await readIds(db, newestTurns(project, { ...page, limit: MOST_ACTIVE }, plainCondition));
  const fitting = await readIds(
    db,
    sql`select id from turns where id in (${listed(active)}) and ${fitsTokens(project, page)}
    order by id desc limit ${page.limit}`,
  );
  return active.length < MOST_ACTIVE || fitting.length >= page.limit ? fitting : walk(db, project, page);
}

/** Walks from the newest entries to the oldest, window by window, until enough turns are found. */
async function walk(db: Db, project: string, page: FoundPage): Promise<string[]> {
  const fits = sql<boolean>`${plainCondition(project, page)} and ${fitsTokens(project, page)}`;
  const recent = await readIds(db, recentOf(notEntered(await readProgress(db), fits), page));
  const { before = page.createdBefore && firstIdAt('turn', Date.parse(page.createdBefore) + MOST_SKEW_MS) } = page;
  const lowest = page.createdAfter ? firstIdAt('turn', Date.parse(page.createdAfter) - MOST_SKEW_MS) : undefined;
  const found: string[] = [];
  for (const { beginnings, from } of windowsBefore('turn', before, lowest)) {
    const left = { ...page, limit: page.limit - found.length };
    const entered = await findEntered(db, project, { ...left, beginnings });
    const known = new Set([...entered, ...recent.filter((id) => id >= from && !found.includes(id))]);
    found.push(...newestFirst([...known]).slice(0, left.limit));
    if (found.length >= page.limit) break;
  }
  return found;
}

/**
 * Finds turns by their entries and checks their rows. An entry may be old and lack tokens, for example after the turn
 * has ended.
 */
async function findEntered(db: Db, project: string, page: FoundPage & { beginnings: string[] }): Promise<string[]> {
  const times = page.beginnings.map((beginning) => `'=${beginning}'`).join(' | ');
  const query = sql<{ id: string }>`
    with found as materialized (
      select id, completed_at from search_entries where tokens @@ (${queryOf('turn', project, page)} && ${times}::tsquery))
    select turns.id from found join ${relationOf(page)} on turns.id = found.id
    where (found.completed_at is not distinct from turns.completed_at or ${fitsTokens(project, page)})
      and ${plainCondition(project, page)} ${behind(page)}
    order by turns.id desc limit ${page.limit}`;
  const rows = await read(db, query);
  return rows.map(({ id }) => id);
}

async function readIds(db: Db, ids: RawBuilder<unknown>): Promise<string[]> {
  const rows = await read(db, sql<{ id: string }>`${ids}`);
  return rows.map(({ id }) => id);
}

/** Selects the newest turns without an entry. With `offset 0`, PostgreSQL reads them only once. */
function recentOf(unentered: RawBuilder<unknown>, page: FoundPage): RawBuilder<unknown> {
  return sql`
    select distinct id from (${unentered} offset 0) as turns where true ${behind(page)} order by id desc limit ${page.limit}`;
}

function behind({ before }: { before?: string }): RawBuilder<unknown> {
  return before === undefined ? sql`` : sql`and turns.id < ${before}`;
}

function newestFirst(ids: string[]): string[] {
  return ids.sort((a, b) => (a < b ? 1 : -1));
}
