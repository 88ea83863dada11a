import type { Rows, Statement } from './open-connection.ts';
import { RowSet } from './row-set.ts';

/** A statement that stands for others; `answers` deals what it answered out to them, in their order. */
export type Merged = { statement: Statement; places: number[]; answers(rows: Rows): Rows[] };

/**
 * Statements of one text that ask the same for a `RowSet` each become one that asks it for all their rows: Postgres and the
 * wire then do once what costs more than a row. A turn comes once in each, so two of one turn stay two, in their order.
 */
export function mergeStatements(statements: Statement[]): Merged[] {
  const merged: { first: Statement; sets: RowSet[]; places: number[]; turns: Set<string> }[] = [];
  for (const [place, statement] of statements.entries()) {
    const set = rowSetOf(statement);
    const [row] = set?.rows ?? [];
    const fit = row && merged.find(({ first, turns }) => isAlike(first, statement) && !turns.has(row.turnId));
    if (fit && set) {
      fit.sets.push(set);
      fit.places.push(place);
      fit.turns.add(row.turnId);
    } else {
      merged.push({
        first: statement,
        sets: set ? [set] : [],
        places: [place],
        turns: new Set(row && [row.turnId]),
      });
    }
  }
  return merged.map(({ first, sets, places }) =>
    places.length === 1
      ? { statement: first, places, answers: (rows) => [rows] }
      : { statement: withRows(first, sets), places, answers: (rows) => dealOut(rows, sets) },
  );
}

function rowSetOf({ parameters }: Statement): RowSet | undefined {
  return parameters?.find((parameter) => parameter instanceof RowSet);
}

function isAlike(one: Statement, other: Statement): boolean {
  if (one.text !== other.text || one.parameters?.length !== other.parameters?.length) return false;
  return (one.parameters ?? []).every((parameter, place) =>
    parameter instanceof RowSet ? other.parameters?.[place] instanceof RowSet : parameter === other.parameters?.[place],
  );
}

function withRows({ text, parameters = [] }: Statement, sets: RowSet[]): Statement {
  const all = new RowSet(sets.flatMap(({ rows }) => rows));
  return { text, parameters: parameters.map((parameter) => (parameter instanceof RowSet ? all : parameter)) };
}

function dealOut(rows: Rows, sets: RowSet[]): Rows[] {
  const ofTurn = Map.groupBy([...rows], (row) => row.turnId as string);
  return sets.map((set) => set.rows.flatMap(({ turnId }) => ofTurn.get(turnId) ?? []) as unknown as Rows);
}
