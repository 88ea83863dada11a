import type { Rows, Statement } from './open-connection.ts';
import { RowSet } from './row-set.ts';

/** A statement that stands for those at `places`; `dealOut` says what each of them is answered. */
export type Merged = { statement: Statement; places: number[]; dealOut(rows: Rows): Rows[] };

/** Characters of all rows of a statement. Whatever is written is held several times over meanwhile, here and in Postgres. */
const MOST_CHARACTERS = 1024 * 1024;

/** What is gathered for one statement. */
type Gathered = { first: Statement; sets: RowSet[]; size: number; places: number[]; turnIds: Set<string> };

/**
 * Statements of one text that ask the same for a `RowSet` each become one that asks it for all their rows: Postgres and the
 * wire then do once what costs more than a row. A turn comes once in each, so two of one turn stay two, in their order; and
 * what is large stays by itself.
 */
export function mergeStatements(statements: Statement[]): Merged[] {
  const all: Gathered[] = [];
  for (const [place, statement] of statements.entries()) {
    const set = rowSetOf(statement);
    const fit = set && all.find((gathered) => fits(gathered, statement, set));
    if (fit) add(fit, place, set);
    else all.push(gather(statement, place, set));
  }
  return all.map(({ first, sets, places }) =>
    places.length === 1
      ? { statement: first, places, dealOut: (rows) => [rows] }
      : { statement: withRows(first, RowSet.join(sets)), places, dealOut: (rows) => dealOut(rows, sets) },
  );
}

/** The rows a statement is asked for; none where it asks for something else. */
export function rowSetOf({ parameters }: Statement): RowSet | undefined {
  return parameters?.find((parameter) => parameter instanceof RowSet);
}

function gather(first: Statement, place: number, set: RowSet | undefined): Gathered {
  return { first, sets: set ? [set] : [], size: set?.size ?? 0, places: [place], turnIds: new Set(set?.turnIds) };
}

function add(gathered: Gathered, place: number, set: RowSet): void {
  gathered.sets.push(set);
  gathered.size += set.size;
  gathered.places.push(place);
  for (const id of set.turnIds) gathered.turnIds.add(id);
}

function fits({ first, size, turnIds }: Gathered, statement: Statement, set: RowSet): boolean {
  if (!isAlike(first, statement) || size + set.size > MOST_CHARACTERS) return false;
  return !set.turnIds.some((id) => turnIds.has(id));
}

function isAlike(one: Statement, other: Statement): boolean {
  if (one.text !== other.text || one.parameters?.length !== other.parameters?.length) return false;
  return (one.parameters ?? []).every((parameter, place) =>
    parameter instanceof RowSet ? other.parameters?.[place] instanceof RowSet : parameter === other.parameters?.[place],
  );
}

function withRows({ text, parameters = [] }: Statement, all: RowSet): Statement {
  return { text, parameters: parameters.map((parameter) => (parameter instanceof RowSet ? all : parameter)) };
}

function dealOut(rows: Rows, sets: RowSet[]): Rows[] {
  const ofTurn = Map.groupBy([...rows], (row) => row.turnId as string);
  return sets.map(({ turnIds }) => turnIds.flatMap((id) => ofTurn.get(id) ?? []) as unknown as Rows);
}
